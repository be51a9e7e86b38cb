/** A test of a request's value. */
export type Test = (value: string) => boolean;

/** Whether a text is the expected one, in which `*` stands for any characters and `?` for one. */
export function pattern(expected: string): Test {
  if (expected === '*') return () => true;
  if (!/[*?]/.test(expected)) return equal(expected);
  const expression = new RegExp(
    `^${expected
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '[^]*')
      .replaceAll('?', '[^]')}$`,
  );
  return (value) => expression.test(value);
}

export function equal(expected: string): Test {
  return (value) => value === expected;
}

export function sameLetters(expected: string): Test {
  const lower = expected.toLowerCase();
  return (value) => value.toLowerCase() === lower;
}

/** A {@link pattern} that takes capital and small letters as the same, as names of actions are. */
export function ignoringCase(expected: string): Test {
  const test = pattern(expected.toLowerCase());
  return (value) => test(value.toLowerCase());
}

/**
 * The six parts of an ARN are matched one by one, so that a star does not reach over a colon; the last may hold colons
 * itself.
 */
export function arnPattern(expected: string): Test {
  if (expected === '*') return () => true;
  if (!/[*?]/.test(expected)) return equal(expected);
  const tests = arnParts(expected).map(pattern);
  return (value) => {
    const parts = arnParts(value);
    return parts.length === tests.length && parts.every((part, index) => tests[index]!(part));
  };
}

function arnParts(arn: string): readonly string[] {
  const parts = arn.split(':');
  return parts.length <= 6 ? parts : [...parts.slice(0, 5), parts.slice(5).join(':')];
}

export function anyOf<T>(tests: readonly ((subject: T) => boolean)[]): (subject: T) => boolean {
  const [only] = tests;
  if (tests.length === 1 && only !== undefined) return only;
  return (subject) => tests.some((test) => test(subject));
}

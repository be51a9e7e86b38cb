import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from './support.ts';

/** What a module hands on, with the file it comes from; modules that only hand on are followed. */
function exportsOf(file: string): { readonly name: string; readonly file: string }[] {
  const source = readFileSync(join(root, file), 'utf8');
  return [...source.matchAll(/^export (?:type )?\{([^}]*)\} from '([^']+)'/gm)].flatMap(([, names, from]) => {
    const target = join(dirname(file), from as string);
    const inner = new Map(exportsOf(target).map((each) => [each.name, each.file]));
    return (names as string)
      .split(',')
      .map((each) => each.replace(/^\s*type\s/, '').trim())
      .filter((each) => each !== '')
      .map((name) => ({ name, file: inner.get(name) ?? target }));
  });
}

/** The comment that stands right before a declaration. */
function commentOf({ name, file }: { readonly name: string; readonly file: string }): string {
  const source = readFileSync(join(root, file), 'utf8');
  const declared = new RegExp(
    `^export (?:abstract |async )?(?:function|class|interface|type|const) ${name}\\b`,
    'm',
  );
  const before = source.slice(0, declared.exec(source)?.index ?? 0).trimEnd();
  return before.endsWith('*/') ? before.slice(before.lastIndexOf('/**')) : '';
}

describe.each([
  ['sluice', 'lib/topology/index.ts'],
  ['sluice/cdk', 'lib/constructs/index.ts'],
  ['sluice/worker', 'lambda/worker/index.ts'],
])('every export of %s says what it is and shows its use', (_, door) => {
  it.each(exportsOf(door))('$name', (each) => {
    const comment = commentOf(each);
    expect(comment, `a comment in ${each.file}`).toMatch(/^\/\*\*\s+(\* )?[A-Z]/);
    expect(comment, `an example in ${each.file}`).toMatch(/@example\n \* ```ts\n[\s\S]*```/);
  });
});

/** The optional members of an interface that is handed in, each with the comment before it. */
function optionsOf({ name, file }: { readonly name: string; readonly file: string }) {
  const source = readFileSync(join(root, file), 'utf8');
  const body =
    new RegExp(`^export interface ${name}\\b[^{]*\\{$([\\s\\S]*?)^\\}`, 'm').exec(source)?.[1] ?? '';
  return [...body.matchAll(/(\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n)? {2}readonly (\w+)\?: ([^;]*);/g)].map(
    ([, comment = '', option = '', type = '']) => ({ option, comment, type }),
  );
}

describe('every property of sluice/cdk that may be left out says what it is then', () => {
  const options = exportsOf('lib/constructs/index.ts')
    // What is handed out is there or not; it has no default.
    .filter(({ name }) => /(Props|Options|Work|^Watched)$/.test(name))
    .flatMap((each) => optionsOf(each).map((option) => [`${each.name}.${option.option}`, option] as const));

  it('those of every construct', () => {
    expect(options.length).toBeGreaterThan(100);
  });

  it.each(options)('%s', (_, { comment, type }) => {
    expect(comment).toMatch(/@default (- )?\S/);
    // With exact optional properties, who passes on what may be missing needs it.
    expect(type).toMatch(/\| undefined$/);
    expect(type).not.toMatch(/\bany\b/);
  });
});

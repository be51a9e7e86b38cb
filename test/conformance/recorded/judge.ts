import type { LeftOut } from './known.ts';
import type { Played } from './report.ts';

/** One line of the table: a file in a protocol. */
export interface Counts {
  readonly file: string;
  readonly protocol: string;
  readonly passed: number;
  readonly leftOut: number;
  readonly skipped: number;
}

/** What a run found. */
export interface Verdict {
  readonly counts: readonly Counts[];
  /** What is otherwise than the table says, a line for each. */
  readonly surprises: readonly string[];
}

/** Counts a run, and compares it with what is known. */
export function judge(
  played: readonly Played[],
  leftOut: readonly LeftOut[],
  expected: readonly Counts[],
): Verdict {
  const known = new Set(leftOut.map(({ test }) => test));
  const bare = ({ name }: Played) => name.replace(/\[.*$/s, '');
  const surprises = played.flatMap((one) => {
    const title = `${one.file} ${one.name}`;
    if (one.outcome === 'failed' && !known.has(bare(one))) return [`${title} failed.`];
    if (one.outcome === 'passed' && known.has(bare(one))) return [`${title} passed, and is left out.`];
    return [];
  });
  const counts = expected.map(({ file, protocol }) => {
    const count = (outcome: Played['outcome']) =>
      played.filter((one) => one.file === file && one.protocol === protocol && one.outcome === outcome)
        .length;
    return { file, protocol, passed: count('passed'), leftOut: count('failed'), skipped: count('skipped') };
  });
  if (surprises.length === 0 && JSON.stringify(counts) !== JSON.stringify(expected))
    surprises.push('The counts are not those of the table: tests were added or went missing.');
  return { counts, surprises };
}

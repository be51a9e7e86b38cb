import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Making } from './tagging.ts';

/** What a run has begun to make. */
export interface Journal {
  readonly run: string;
  readonly file: string;
  readonly account: string;
  readonly region: string;
  note(making: Making): void;
  made(): readonly Making[];
  /** Nothing is left: it is not needed any more. */
  close(): void;
}

/** Begins the journal of a run; it is on the disk before anything is made. */
export function beginJournal(folder: string, run: string, account: string, region: string): Journal {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${run}.jsonl`);
  writeFileSync(file, `${JSON.stringify({ run, account, region })}\n`, { flag: 'wx' });
  return journalAt(file, { run, account, region });
}

/** The journals that runs have left in an account and Region. */
export function leftJournals(folder: string, account: string, region: string): readonly Journal[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .map((name) => {
      const file = join(folder, name);
      const [first = '{}'] = readFileSync(file, 'utf8').split('\n');
      return journalAt(file, JSON.parse(first) as Pick<Journal, 'run' | 'account' | 'region'>);
    })
    .filter((journal) => journal.account === account && journal.region === region);
}

function journalAt(file: string, about: Pick<Journal, 'run' | 'account' | 'region'>): Journal {
  return {
    ...about,
    file,
    note: (making) => appendFileSync(file, `${JSON.stringify(making)}\n`),
    made: () =>
      readFileSync(file, 'utf8')
        .split('\n')
        .slice(1)
        // A line that was cut off by the end of the process was never followed by its call.
        .filter((line) => line.endsWith('}'))
        .map((line) => JSON.parse(line) as Making),
    close: () => rmSync(file, { force: true }),
  };
}

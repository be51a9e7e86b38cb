import fc from 'fast-check';
import type { ServerName } from '../../servers/names.ts';
import type { ConformanceCase } from '../case.ts';
import { foreignStage } from '../stages.ts';
import type { World } from '../world.ts';
import { withModel } from '../worlds/model.ts';
import { itemSteps, singleItems, transactionSteps, transactions } from './items.ts';
import { type Known, known } from './known.ts';
import type { Kind, Observation, Step } from './observe.ts';
import { fifoQueue, fifoSteps, standardQueue, standardSteps } from './queues.ts';

/** How much is compared. */
export interface CompareOptions {
  /** @default 50 */
  readonly runs?: number | undefined;
  readonly seed?: number | undefined;
  /** A shrunk sequence of that seed. */
  readonly path?: string | undefined;
  /** @default - all kinds that the server has the services for */
  readonly kind?: string | undefined;
  readonly services: readonly string[];
  readonly say: (line: string) => void;
  readonly signal: AbortSignal;
}

const kinds: readonly { kind: Kind; steps: fc.Arbitrary<Step>; service: string }[] = [
  { kind: standardQueue, steps: standardSteps, service: 'sqs' },
  { kind: fifoQueue, steps: fifoSteps, service: 'sqs' },
  { kind: singleItems, steps: itemSteps, service: 'dynamodb' },
  { kind: transactions, steps: transactionSteps, service: 'dynamodb' },
];

/** The names of what can be compared. */
export const kindNames: readonly string[] = kinds.map(({ kind }) => kind.name);

/** Where two servers part. */
interface Parting {
  readonly steps: readonly Step[];
  readonly at: number;
  readonly model: Observation;
  readonly other: Observation;
}

/** What was seen, and when: seconds since the first step. */
interface Played {
  readonly seen: readonly Observation[];
  readonly times: readonly number[];
}

/**
 * Plays the same random sequences on the model and on a server, and tells where they part. The server comes first; the
 * model's clock is then driven to the very times at which its steps were played.
 *
 * @returns how many kinds have a disagreement that is not known
 */
export async function compare(server: ServerName, url: string, options: CompareOptions): Promise<number> {
  const { say, signal, services } = options;
  const stage = foreignStage(server, url, services);
  let disagreeing = 0;
  try {
    for (const { kind, steps, service } of kinds) {
      if (options.kind !== undefined && options.kind !== kind.name) continue;
      if (!services.includes(service)) continue;
      const met = new Map<Known, number>();
      let compared = 0;
      const partingOf = async (sequence: readonly Step[]): Promise<Parting | undefined> => {
        const other = await playOn((play) => stage.with(noCase, play), kind, sequence);
        const model = await playOn((play) => withModel(noCase, play), kind, sequence, other.times);
        const at = sequence.findIndex((_, index) => model.seen[index] !== other.seen[index]);
        return at < 0
          ? undefined
          : { steps: sequence, at, model: model.seen[at] ?? '', other: other.seen[at] ?? '' };
      };
      let last: Parting | undefined;
      const property = fc.asyncProperty(
        fc.array(steps, { minLength: 2, maxLength: 14, size: 'max' }),
        async (sequence) => {
          signal.throwIfAborted();
          compared += 1;
          const parting = await partingOf(sequence);
          if (parting === undefined) return;
          const rule = ruleFor(server, kind, parting);
          if (rule !== undefined) {
            met.set(rule, (met.get(rule) ?? 0) + 1);
            return;
          }
          // Once more: a server that was late is not one that differs.
          const again = await partingOf(sequence);
          if (again === undefined || ruleFor(server, kind, again) !== undefined) return;
          last = again;
          throw new Error('parted');
        },
      );
      const { runs: numRuns = 50, seed, path } = options;
      const result = await fc.check(property, {
        numRuns,
        ...(seed === undefined ? {} : { seed }),
        ...(path === undefined ? {} : { path }),
      });
      signal.throwIfAborted();
      say(`${kind.name}: ${compared} sequences, ${kind.title}, seed ${result.seed}`);
      for (const [{ what, caseId }, count] of met)
        say(`  known, met ${count} times: ${what}${caseId === undefined ? '' : ` (${caseId})`}`);
      if (!result.failed || last === undefined) continue;
      disagreeing += 1;
      for (const line of told(server, last)) say(`  ${line}`);
      say(
        `  again: npm run conformance -- --compare ${server} --kind ${kind.name} --seed ${result.seed} --path ${result.counterexamplePath} --runs 1`,
      );
    }
  } finally {
    stage.close();
  }
  return disagreeing;
}

/** Worlds are made for cases; a sequence is none, and needs no functions. */
const noCase = {
  name: 'sequence',
  title: '',
  source: { page: '', says: '' },
  run: async () => {},
} satisfies ConformanceCase;

async function playOn(
  within: (play: (world: World) => Promise<void>) => Promise<void>,
  kind: Kind,
  sequence: readonly Step[],
  times?: readonly number[],
): Promise<Played> {
  const seen: Observation[] = [];
  const when: number[] = [];
  await within(async (world) => {
    const play = await kind.prepare(world);
    const start = world.now();
    for (const [index, step] of sequence.entries()) {
      const due = (times?.[index] ?? 0) - (world.now() - start) / 1000;
      if (due > 0) await world.pass(due);
      when.push((world.now() - start) / 1000);
      seen.push(await play(step));
    }
  });
  return { seen, times: when };
}

function ruleFor(
  server: ServerName,
  { name }: Kind,
  { steps, at, model, other }: Parting,
): Known | undefined {
  const met = { step: steps[at]!, model, other, before: steps.slice(0, at) };
  return known.find(
    ({ servers, kinds: of, holds }) => servers.includes(server) && of.includes(name) && holds(met),
  );
}

/** The sequence up to where they part. */
const told = (server: string, { steps, at, model, other }: Parting): readonly string[] => [
  'They part:',
  ...steps.slice(0, at + 1).map((step) => `    ${wordsOf(step)}`),
  `    model: ${model}`,
  `    ${server}: ${other}`,
];

const wordsOf = ({ op, ...rest }: Step): string =>
  [
    op,
    ...Object.entries(rest).flatMap(([name, value]) =>
      value === undefined ? [] : `${name}=${JSON.stringify(value)}`,
    ),
  ].join(' ');

import type { FaultCount, FaultKind, FaultPlan } from './faults.ts';
import type { DeadLetter, Finding, Verdict } from './judge.ts';
import type { PeakMemory } from './memory.ts';
import { round } from './statistics.ts';

/** What a run proved. Written by `--report` and `--json`. */
export interface RunReport {
  /** Whether everything held; `failures` says what did not. */
  readonly ok: boolean;
  readonly failures: readonly string[];
  /** What was asked for. */
  readonly orders: number;
  readonly seconds: number;
  readonly seed: number;
  readonly faultSet: 'none' | 'default';
  /** Rows of the input that were no orders, and were not published. */
  readonly refusedRows: readonly { readonly line: number; readonly problem: string }[];
  /** Orders whose publish was acknowledged; the poison is not among them. */
  readonly published: number;
  /** Publishes that failed and were tried again, under the same id. */
  readonly publishRetries: number;
  /** From the first to the last publish. */
  readonly publishSeconds: number;
  /** From the moment an order was due to the answer of its publish. */
  readonly publishLatencyMs: { readonly p50: number; readonly p99: number; readonly max: number };
  /** From the command to the answer of the first publish. */
  readonly firstPublishSeconds: number;
  /** From the last publish to empty queues; `null` when the run gave up waiting. */
  readonly drainedSeconds: number | null;
  /** Messages that workers received from the queues, every redelivery counted; `null` where nobody tells. */
  readonly deliveries: number | null;
  /** Tries that ended, well or badly; those that were killed or broken off are not among them; `null` where nobody tells. */
  readonly handlerRuns: number | null;
  /** Orders that have their effect in the subscriber's own store. */
  readonly effects: Readonly<Record<string, number>>;
  /** Orders that should have it: published, less dead-lettered. */
  readonly expectedEffects: Readonly<Record<string, number>>;
  /** Deliveries whose effect had been done before: acknowledged without running the handler. */
  readonly duplicatesSuppressed: number;
  readonly lost: number;
  readonly doubled: number;
  readonly reordered: number;
  /** Effects of orders that were never sent. */
  readonly phantom: number;
  /** Done, but not as it was sent: another amount, another customer. */
  readonly wrong: number;
  /** Seen twice by a system that knows no idempotency key (mail, fraud): at-least-once, as declared. */
  readonly repeated: number;
  /** What the numbers above count, at most {@link detailLimit} of each. */
  readonly details: Readonly<
    Record<'lost' | 'doubled' | 'reordered' | 'phantom' | 'wrong' | 'repeated', readonly Finding[]>
  >;
  readonly deadLetters: readonly {
    readonly subscriber: string;
    readonly reason: string;
    readonly count: number;
  }[];
  readonly workersKilled: number;
  /**
   * For each kind of fault how often it was planned and how often it was seen to happen. One that was planned and did not
   * happen makes `ok` false: the run then proved less than it set out to.
   */
  readonly faults: Readonly<Record<FaultKind, FaultCount>>;
  /** Alarms of the stack that changed their state, and how often. */
  readonly alarms: readonly AlarmChanges[];
  /** The most messages that a subscriber's queue held, waiting or in flight. */
  readonly peakBacklog: Readonly<Record<string, number>>;
  /** The greatest age of a message that was not done: it waited, was worked on, or was hidden until its next try; empty where nobody tells. */
  readonly peakLagSeconds: Readonly<Record<string, number>>;
  /**
   * Little's law, L = lambda x W, over the time from the first publish to the end of the drain: how many messages
   * should have been in a subscriber's queue on average (`expected`), from the rate at which they came (`perSecond`)
   * and the time from the order to its effect as the effect's own store has it (`waitSeconds`); beside it the average that
   * was measured at the queue. The measured one is a little larger: a message stays in flight from its effect to
   * the end of its batch.
   */
  readonly expectedBacklog: Readonly<Record<string, Backlog>>;
  /** Charges that the payment provider refused because they came too fast, each asked again later. */
  readonly throttledCharges: number;
  /**
   * The greatest memory of all processes of the command together, the launcher and the synthesis among them, from the
   * start of the command on.
   */
  readonly memoryMb: number;
  /** What `memoryMb` is of: where the system has no `/proc`, of the process of the run alone. */
  readonly memoryOf: PeakMemory['of'];
  /** Processor-seconds of this process: endpoint, functions, shop and systems outside; not of the synthesis. */
  readonly cpuSeconds: number;
}

/** One subscriber's row of {@link RunReport.expectedBacklog}. */
export interface Backlog {
  readonly perSecond: number;
  readonly waitSeconds: number;
  readonly expected: number;
  readonly measured: number;
}

/** The changes of one alarm. */
export interface AlarmChanges {
  readonly name: string;
  readonly state: string;
  readonly changes: readonly { readonly at: string; readonly from: string; readonly to: string }[];
}

/** How many findings of a kind the report lists; the numbers count all of them. */
export const detailLimit = 100;

/** What {@link makeReport} is given besides the fields that it passes on. */
export interface ReportInput
  extends Omit<
    RunReport,
    | 'ok'
    | 'failures'
    | 'effects'
    | 'expectedEffects'
    | 'lost'
    | 'doubled'
    | 'reordered'
    | 'phantom'
    | 'wrong'
    | 'repeated'
    | 'details'
    | 'deadLetters'
    | 'expectedBacklog'
  > {
  readonly verdict: Verdict;
  readonly deadLetters: readonly DeadLetter[];
  readonly plan: FaultPlan;
  /** The order that {@link FaultPlan.brokenOrder} stands for. */
  readonly brokenOrderId: number | undefined;
  readonly publishFailures: readonly string[];
  /** For each subscriber: the waits of its effects in seconds, added up, and the measured average backlog. */
  readonly waits: Readonly<Record<string, { readonly seconds: number; readonly measured: number }>>;
}

/** Puts the report together and decides whether the run held its promises. */
export function makeReport(input: ReportInput): RunReport {
  const { verdict, deadLetters, plan, brokenOrderId, publishFailures, waits, ...figures } = input;
  const { effects, expectedEffects, ...found } = verdict;
  const counted = countDeadLetters(deadLetters);
  const failures = [
    ...publishedFailures(figures, publishFailures),
    ...effectFailures(verdict),
    ...deadLetterFailures(Object.keys(effects), deadLetters, plan, brokenOrderId),
  ];
  if (figures.drainedSeconds === null)
    failures.push('The queues were not empty when the run stopped waiting for them.');
  failures.push(...faultFailures(figures.faults));
  const span = figures.publishSeconds + (figures.drainedSeconds ?? 0);
  const cut = (list: readonly Finding[]) => list.slice(0, detailLimit);
  return {
    ok: failures.length === 0,
    failures,
    ...figures,
    effects,
    expectedEffects,
    lost: found.lost.length,
    doubled: found.doubled.length,
    reordered: found.reordered.length,
    phantom: found.phantom.length,
    wrong: found.wrong.length,
    repeated: found.repeated.length,
    details: {
      lost: cut(found.lost),
      doubled: cut(found.doubled),
      reordered: cut(found.reordered),
      phantom: cut(found.phantom),
      wrong: cut(found.wrong),
      repeated: cut(found.repeated),
    },
    deadLetters: counted,
    expectedBacklog: Object.fromEntries(
      Object.entries(waits).map(([name, wait]) => [name, backlog(effects[name] ?? 0, span, wait)]),
    ),
  };
}

function backlog(count: number, span: number, wait: { seconds: number; measured: number }): Backlog {
  const perSecond = span > 0 ? count / span : 0;
  const waitSeconds = count > 0 ? wait.seconds / count : 0;
  return {
    perSecond: round(perSecond),
    waitSeconds: round(waitSeconds),
    expected: round(perSecond * waitSeconds),
    measured: round(wait.measured),
  };
}

function publishedFailures(
  { published, orders }: Pick<RunReport, 'published' | 'orders'>,
  errors: readonly string[],
): string[] {
  if (published === orders) return [];
  const first = errors[0] === undefined ? '' : ` The first error: ${errors[0]}`;
  return [`${published} of ${orders} orders were published.${first}`];
}

function effectFailures(verdict: Verdict): string[] {
  const failures: string[] = [];
  for (const [subscriber, expected] of Object.entries(verdict.expectedEffects)) {
    const found = verdict.effects[subscriber] ?? 0;
    if (found !== expected) failures.push(`${subscriber}: ${found} effects, ${expected} are right.`);
  }
  const kinds = {
    lost: 'neither done nor dead-lettered',
    doubled: 'done more than once',
    reordered: 'done after a later order of the same customer',
    phantom: 'done, but never sent',
    wrong: 'done, but not as it was sent',
  } as const;
  for (const kind of ['lost', 'doubled', 'reordered', 'phantom', 'wrong'] as const) {
    const [first] = verdict[kind];
    if (first === undefined) continue;
    const name =
      first.orderId === undefined ? first.subscriber : `${first.subscriber}, order ${first.orderId}`;
    failures.push(`${verdict[kind].length} ${kind}: ${kinds[kind]}. The first: ${name}: ${first.detail}.`);
  }
  return failures;
}

const faultNames: Readonly<Record<FaultKind, string>> = {
  workerKills: 'kills of busy workers',
  lostAcknowledgement: 'lost acknowledgements',
  duplicates: 'duplicates of standard queues',
  poison: 'bodies that are no event',
  failingOrder: 'orders that always fail',
  outage: 'outages that somebody met',
};

/**
 * The part of the expected duplicates that must have happened. They are a matter of chance: of 15 or more that are to
 * be expected, less than a tenth come once in hundreds of thousands of runs.
 */
const leastDuplicates = 0.1;

/** A fault that was planned must have happened, or the run did not prove that it does no harm. */
function faultFailures(faults: RunReport['faults']): string[] {
  return (Object.keys(faultNames) as FaultKind[]).flatMap((kind) => {
    const { planned, happened } = faults[kind];
    const least = kind === 'duplicates' ? planned * leastDuplicates : planned;
    if (happened >= least) return [];
    return [`A planned fault did not happen: ${happened} of ${planned} ${faultNames[kind]}.`];
  });
}

/**
 * The dead letters must be those that the planned faults make, and no others. Copies of one message count once: a
 * message that no record can name, since it cannot be read, is dead-lettered at each of its deliveries.
 */
function deadLetterFailures(
  subscribers: readonly string[],
  deadLetters: readonly DeadLetter[],
  plan: FaultPlan,
  brokenOrderId: number | undefined,
): string[] {
  const failures: string[] = [];
  const expected = new Map<string, number>();
  const add = (subscriber: string, reason: string) => expected.set(`${subscriber}: ${reason}`, 1);
  if (plan.poisonAt !== undefined) for (const subscriber of subscribers) add(subscriber, 'undecodable');
  if (brokenOrderId !== undefined) add('payments', 'attempts');
  for (const { subscriber, reason, count } of countDeadLetters(distinct(deadLetters))) {
    const planned = expected.get(`${subscriber}: ${reason}`) ?? 0;
    expected.delete(`${subscriber}: ${reason}`);
    if (count !== planned)
      failures.push(
        `${subscriber}: ${count} messages dead-lettered with the reason ${reason}, ${planned} are right.`,
      );
  }
  for (const missing of expected.keys()) failures.push(`A dead letter is missing: ${missing}.`);
  const wrong = deadLetters.find(({ reason, orderId }) => reason === 'attempts' && orderId !== brokenOrderId);
  if (wrong !== undefined)
    failures.push(
      `${wrong.subscriber}: order ${wrong.orderId} used up its attempts, though nothing was planned.`,
    );
  return failures;
}

const distinct = (deadLetters: readonly DeadLetter[]): readonly DeadLetter[] => [
  ...new Map(
    deadLetters.map((letter) => [`${letter.subscriber} ${letter.reason} ${letter.body}`, letter]),
  ).values(),
];

function countDeadLetters(deadLetters: readonly DeadLetter[]): RunReport['deadLetters'] {
  const counts = new Map<string, { subscriber: string; reason: string; count: number }>();
  for (const { subscriber, reason } of deadLetters) {
    const key = `${subscriber} ${reason}`;
    const entry = counts.get(key) ?? { subscriber, reason, count: 0 };
    entry.count += 1;
    counts.set(key, entry);
  }
  return [...counts.values()];
}

import type { Milliseconds, Seconds } from '../../lib/base/index.ts';

/**
 * What the page is told about a run. Plain JSON: {@link RunFeed.state} and each {@link RunUpdate} travel as they
 * are. Nothing here knows of orders: any declared messaging can feed it. Moments are milliseconds since the Unix
 * epoch, lengths say their unit, counts of {@link RunState} are since the run began, counts of a
 * {@link RunSample} are of its one second.
 */
export interface RunState {
  /** What runs: a heading, for example `orders: 40,000 in 90 s`. */
  readonly title: string;
  readonly phase: RunPhase;
  /** One sentence about the phase, for people: `deploying 31 resources`, or why a run failed. */
  readonly message: string;
  /** When the run was started. */
  readonly startedAt: Milliseconds;
  /** When this state was taken. */
  readonly at: Milliseconds;
  /** When the first message was published; missing before it. */
  readonly publishingSince?: Milliseconds;
  /** When the last message was published; missing before it. */
  readonly publishedAt?: Milliseconds;
  /** When everything was drained; missing before it. */
  readonly drainedAt?: Milliseconds;
  readonly topology: TopologyView;
  readonly publisher: PublisherState;
  /** In the order of the declaration. */
  readonly subscribers: readonly SubscriberState[];
  /** Every alarm of the stack, those in alarm first. */
  readonly alarms: readonly AlarmState[];
  /** Faults that were planned, and what happened to the run, oldest first. */
  readonly incidents: readonly Incident[];
  /** The final report: figures and verdicts, once the run is over. */
  readonly report?: ReportView;
}

/** The phases of a run, in their order; `failed` can follow any of them. */
export type RunPhase = 'starting' | 'deploying' | 'publishing' | 'draining' | 'judging' | 'done' | 'failed';

/** The topology as a picture: publishers, topics, subscribers, and what lies outside. */
export interface TopologyView {
  readonly name: string;
  readonly topics: readonly { readonly name: string; readonly fifo: boolean }[];
  readonly subscribers: readonly SubscriberView[];
}

/** A subscriber as declared. */
export interface SubscriberView {
  readonly name: string;
  readonly topic: string;
  readonly fifo: boolean;
  /** The lag SLO: no message should wait longer. */
  readonly lag: Seconds;
  readonly concurrency: number;
  readonly batchSize: number;
  readonly attempts: number;
  /** What its handler acts on, for the picture: `payment provider`, `table of stock`. */
  readonly acts: string;
}

/** The publisher so far. */
export interface PublisherState {
  /** How many messages the run will publish, the injected ones apart. */
  readonly planned: number;
  readonly published: number;
  readonly failed: number;
  /** Rows of the input that were refused. */
  readonly refused: number;
  /** From the moment a message was due to the moment its publish was answered; missing before the first. */
  readonly latencyMs?: { readonly p50: number; readonly p99: number; readonly max: number };
}

/** A subscriber so far. */
export interface SubscriberState {
  readonly name: string;
  /** Messages that SNS delivered to its queue, duplicates included. */
  readonly arrived: number;
  /** Messages whose work is done. */
  readonly completed: number;
  readonly duplicatesSuppressed: number;
  /** Failed attempts that will be tried again. */
  readonly retried: number;
  readonly deadLetters: readonly { readonly reason: string; readonly count: number }[];
  readonly peakBacklog: number;
  readonly peakLagSeconds: Seconds;
  /** Whether its function's environments can work, and what keeps them from it: `fraud service is down`. */
  readonly trouble?: string;
}

/** One alarm of the stack. */
export interface AlarmState {
  readonly name: string;
  /** The subscriber it watches; missing for one that watches something else. */
  readonly subscriber?: string;
  readonly state: 'OK' | 'ALARM' | 'INSUFFICIENT_DATA';
  readonly since: Milliseconds;
  /** CloudWatch's reason for the present state. */
  readonly reason: string;
  /** Every change of state, oldest first. */
  readonly changes: readonly {
    readonly at: Milliseconds;
    readonly from: AlarmState['state'];
    readonly to: AlarmState['state'];
  }[];
}

/** Something that happened: `payments: a worker was killed in mid-batch`. */
export interface Incident {
  readonly at: Milliseconds;
  readonly kind: 'kill' | 'outage' | 'recovery' | 'poison' | 'lost-acknowledgement' | 'alarm' | 'note';
  readonly subscriber?: string;
  readonly text: string;
}

/** One second of the run: the points of the charts. */
export interface RunSample {
  readonly at: Milliseconds;
  /** Messages published in this second. */
  readonly published: number;
  /** 99th percentile of this second's publishes; missing when there was none. */
  readonly publishP99Ms?: number;
  /** In the order of {@link RunState.subscribers}. */
  readonly subscribers: readonly SubscriberSample[];
}

/** One second of one subscriber. */
export interface SubscriberSample {
  /** Messages that wait, visible or delayed, at the end of the second. */
  readonly backlog: number;
  /** Messages that were received and not yet deleted, at the end of the second. */
  readonly inFlight: number;
  /** Age of the oldest message that is not done: it waits, is worked on, or is hidden until its next try; 0 for none. */
  readonly oldestSeconds: Seconds;
  readonly arrived: number;
  readonly completed: number;
  readonly duplicatesSuppressed: number;
  readonly deadLettered: number;
}

/** The final report as the page shows it. */
export interface ReportView {
  readonly ok: boolean;
  /** One sentence: what was proved, or what was not. */
  readonly verdict: string;
  /** What did not hold, one sentence each; empty when `ok`. */
  readonly failures: readonly string[];
  /** Figures in the order in which they are to be shown, formatted: `publish p99`, `12.4 ms`. */
  readonly figures: readonly { readonly name: string; readonly value: string }[];
  /** The whole report, for a download. */
  readonly document: unknown;
}

/** What the page gets once a second, and at once when the phase changes. */
export interface RunUpdate {
  readonly state: RunState;
  /** The second that ended; missing when only the state changed. */
  readonly sample?: RunSample;
}

/** The one stream that the page lives from. */
export interface RunFeed {
  state(): RunState;
  /** Every second so far, oldest first: what a page that was opened late needs. */
  samples(): readonly RunSample[];
  /** Calls `listener` on each update; returns the call that ends it. A listener that throws stops nothing. */
  subscribe(listener: (update: RunUpdate) => void): () => void;
}

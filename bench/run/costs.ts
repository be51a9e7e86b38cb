import type { Shares } from './profile.ts';

/** What the process of the run is asked for. */
export interface RunTask {
  readonly orders: number;
  readonly seconds: number;
  /** Where to write the raw profile of the main thread, for DevTools. */
  readonly profileFile?: string;
}

/** What the run cost from its second second until all queues were empty. */
export interface RunCosts {
  readonly wallSeconds: number;
  /** Messages that handlers took. */
  readonly deliveries: number;
  /** Processor time of the whole process, microseconds. */
  readonly processUs: number;
  /** Processor time by the role of threads, microseconds. */
  readonly threadUs: Readonly<Record<string, number>>;
  /** Requests to the endpoint by action. */
  readonly requests: Readonly<Record<string, number>>;
  /** Where the main thread, which is the model of AWS, spent its time. */
  readonly shares: Shares;
  readonly ok: boolean;
  readonly failures: readonly string[];
  readonly publishP99Ms: number;
}

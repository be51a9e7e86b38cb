import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Random } from 'sluice';
import type { AlarmView } from 'sluice/local';
import type { World } from '../world/index.ts';
import type { CounterBook } from './counters.ts';
import type { FaultPlan } from './faults.ts';
import type { Monitor } from './monitor.ts';

/** What a queue holds at a moment. */
export interface QueueFigures {
  /** Messages that wait, those of a delay among them. */
  readonly waiting: number;
  readonly inFlight: number;
  /** Milliseconds; missing when the queue is empty, and where {@link Stage.tellsAge} is false. */
  readonly oldestUndeletedAge?: number | undefined;
  /** Messages that came since the queue was made; missing where nobody tells. */
  readonly sent?: number | undefined;
}

/** A subscriber's queues in the deployed stack. */
export interface Place {
  readonly name: string;
  readonly queueUrl: string;
  readonly deadLetterQueueUrl: string;
}

/** An item of a table. */
export type Item = Readonly<Record<string, AttributeValue>>;

/**
 * Where the stack is deployed and its consumers run, as far as a run looks at it or does something to it: the model in
 * this process, or a server of another maker.
 */
export interface Stage {
  readonly url: string;
  readonly region: string;
  /** One for each subscriber. */
  readonly places: readonly Place[];
  /** An output of the stack. */
  output(name: string): string;
  /** Everything in a table. */
  items(table: string): Promise<readonly Item[]>;
  /** Calls SQS. */
  sqs(action: 'ReceiveMessage' | 'ChangeMessageVisibility', input: object): Promise<object>;
  /** Whether it tells the age of the oldest message. */
  readonly tellsAge: boolean;
  /** Brings what {@link queue} says up to date. */
  look(): Promise<void>;
  queue(subscriber: string): QueueFigures | undefined;
  /** Messages that consumers received, every redelivery counted; `undefined` where nobody tells. */
  received(): number | undefined;
  /**
   * Messages that consumers acknowledged; missing where the consumers' metrics tell what they did. From it follows how many
   * duplicates were suppressed.
   */
  acknowledged?(): number;
  /** Messages that a queue gave again after they were deleted, as a fault. */
  duplicated(): number;
  alarms(): readonly AlarmView[];
  onAlarmChange(listener: (change: AlarmChange) => void): void;
  /** Makes the consumers ready for the first order. */
  warm(): Promise<void>;
  /** Kills a busy worker of the subscriber; `false` when none is busy. */
  kill(subscriber: string): boolean | Promise<boolean>;
  /** Loses the subscriber's next acknowledgement; resolves to `false` when none came before the signal aborted. */
  lose(subscriber: string, signal: AbortSignal): Promise<boolean>;
  /** Called when all queues are empty, or are given up: what is still on its way is waited for. */
  settle(): Promise<void>;
  /** Ends everything that it started. */
  close(): Promise<void>;
}

/** An alarm that changed its state. */
export interface AlarmChange extends Readonly<Pick<AlarmView, 'name' | 'reason'>> {
  readonly from: AlarmView['state'];
  readonly to: AlarmView['state'];
  readonly at: AlarmView['changedAt'];
}

/** What a stage is made of. */
export interface StageOptions {
  readonly world: World;
  readonly plan: FaultPlan;
  readonly random: Random;
  /** The page's feed. */
  readonly monitor: Monitor;
  /** Gets every line that a consumer logs. */
  readonly counters: CounterBook;
  readonly say: (line: string) => void;
  /** Ends the run: something that it stands on is gone. */
  readonly fail: (reason: Error) => void;
  readonly signal: AbortSignal;
}

/** Deploys the stack and starts its consumers. */
export interface Theatre {
  /**
   * Milliseconds that the queues may take to become empty after the last order.
   *
   * @default 150,000
   */
  readonly patience?: number;
  /**
   * Milliseconds that the queues must stay empty.
   *
   * @default 500
   */
  readonly quiet?: number;
  /**
   * Milliseconds that a fault may wait for its occasion: a busy worker, an acknowledgement.
   *
   * @default 20,000
   */
  readonly faultPatience?: number;
  /** The part of a plan that can be had there. */
  faults(plan: FaultPlan, orders: number, random: Random): FaultPlan;
  open(options: StageOptions): Promise<Stage>;
}

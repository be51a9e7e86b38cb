import type { Subscriber } from '../../lib/topology/index.ts';
import type { AwsModel, HarnessTools } from '../../local/index.ts';
import type { Effect, Sent } from './judge/index.ts';
import type { SimulatedHandler } from './types.ts';

/** What is told of a history while it happens. */
export type Tell = (text: string) => void;

/** The world that a history happens in: its handlers, and the stores in which their effects lie. */
export interface World {
  /** Makes tables and what else handlers need, before anything goes wrong. */
  open(tools: HarnessTools): Promise<void>;
  /** Called anew for each environment. */
  handlerFor(subscriber: Subscriber, tools: HarnessTools, tell: Tell): SimulatedHandler;
  /** What the stores hold for a subscriber, in the order in which it happened. */
  happened(subscriber: Subscriber, aws: AwsModel): Effect[];
  effectOf(subscriber: string): Sent['effect'];
  readonly handlerRuns: number;
}

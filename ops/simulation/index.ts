export { type Break, breaks } from './breaks/index.ts';
export type { Job } from './job.ts';
export {
  type Effect,
  type Evidence,
  judge,
  type Kind,
  type Letter,
  type Sent,
  type SubscriberEvidence,
  type Violation,
} from './judge/index.ts';
export { play } from './play.ts';
export { explain, type Report, readable, replay, reportOf, summaryOf } from './report.ts';
export { type ShrinkBounds, type Shrunk, shrink } from './shrink.ts';
export { type Found, type Simulated, type SimulateOptions, simulate } from './simulate.ts';
export { isTrouble, type TroubleName, troubles } from './troubles.ts';
export type {
  BuildConsumer,
  BuildOrder,
  Counts,
  Played,
  PlayOptions,
  SimulatedContext,
  SimulatedHandler,
} from './types.ts';

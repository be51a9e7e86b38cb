export type {
  Effect,
  Evidence,
  Kind,
  Letter,
  Sent,
  SubscriberEvidence,
  Violation,
} from './judge/evidence.ts';
export type {
  Break,
  Breaks,
  BuildConsumer,
  BuildOrder,
  Counts,
  Played,
  PlayOptions,
  SimulatedContext,
  SimulatedHandler,
} from './types.ts';

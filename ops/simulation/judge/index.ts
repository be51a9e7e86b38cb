export type {
  Effect,
  Evidence,
  Kind,
  Letter,
  Sent,
  SubscriberEvidence,
  Violation,
} from './evidence.ts';
export { judge } from './judge.ts';

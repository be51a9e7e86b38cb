export type { Deployed, DeployedQueue, DeployedSubscriber } from './deploy.ts';
export type { Mishap, MishapEvent } from './environments.ts';
export {
  createHarness,
  type DeadLetter,
  type HandlerFactory,
  type Harness,
  type HarnessHandler,
  type HarnessOptions,
  type HarnessProcess,
  type HarnessRecord,
  type HarnessTools,
  lettersIn,
  placesOf,
} from './harness.ts';
export type { HarnessLogger, HarnessMeasures, HarnessMetrics, LogLine } from './observed.ts';

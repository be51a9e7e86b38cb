/**
 * The model of AWS: the services that a messaging stack stands on, as state machines in this process. On a virtual
 * clock they are a test harness; behind an HTTP endpoint they are where the stack runs on a developer's machine.
 */

export { seededRandom, systemClock, systemRandom } from '../lib/base/index.ts';
export { type AwsModel, type AwsOptions, createAws } from './aws.ts';
export { type ModelClient, type ModelClientOptions, modelClient } from './client.ts';
export { createVirtualClock, type VirtualClock } from './clock.ts';
export {
  type AssemblyStack,
  type CloudAssembly,
  type DeployedStack,
  DeploymentError,
  evaluate,
  loadAssembly,
  noValue,
  type Scope,
  type Template,
  type TemplateResource,
} from './cloudformation/index.ts';
export type { AlarmView } from './cloudwatch/index.ts';
export type { Dispatcher } from './dispatch.ts';
export { type Fault, type FaultEffect, type FaultEvent, type FaultPlan, LostReply } from './faults.ts';
export {
  createHarness,
  type DeadLetter,
  type Deployed,
  type DeployedQueue,
  type DeployedSubscriber,
  type HandlerFactory,
  type Harness,
  type HarnessHandler,
  type HarnessLogger,
  type HarnessMeasures,
  type HarnessMetrics,
  type HarnessOptions,
  type HarnessProcess,
  type HarnessRecord,
  type HarnessTools,
  type LogLine,
  type Mishap,
  type MishapEvent,
} from './harness/index.ts';
export {
  createEndpoint,
  type Endpoint,
  type EndpointOptions,
  type Route,
  type Routes,
} from './http/index.ts';
export {
  type EnvironmentView,
  type EventSourceFaults,
  type EventSourceView,
  type Executor,
  inProcessExecutor,
  type LogSink,
  workerExecutor,
} from './lambda/index.ts';
export type {
  AlarmState,
  Incident,
  PublisherState,
  ReportView,
  RunFeed,
  RunPhase,
  RunSample,
  RunState,
  RunUpdate,
  SubscriberSample,
  SubscriberState,
  SubscriberView,
  TopologyView,
} from './page/index.ts';
export { dashboardRoutes, type PageHandler, pageRoutes } from './page/index.ts';
export { type ModelContext, type Service, ServiceError, type ServiceId } from './service.ts';
export {
  HandlerStuck,
  type Lag,
  type PlainItem,
  type ReadLetter,
  type SimulatedHandlers,
  type SimulateOptions,
  type Simulation,
  simulate,
  type TableDeclaration,
} from './simulate/index.ts';
export type { Letter } from './sns/index.ts';
export type { QueueView } from './sqs/index.ts';
export {
  type LocalOptions,
  type LocalResource,
  type LocalStack,
  LocalStackError,
  type Synthesis,
  type SynthesizeOptions,
  startLocal,
  synthesize,
} from './stack/index.ts';

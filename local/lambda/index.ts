export type { EventSourceFaults } from './event-source.ts';
export type {
  Environment,
  Executor,
  FunctionConfiguration,
  Invocation,
  InvocationError,
  InvocationResult,
  LogSink,
} from './executor.ts';
export {
  type InProcessContext,
  type InProcessEnvironment,
  type InProcessHandler,
  type InProcessOptions,
  inProcessExecutor,
} from './in-process-executor.ts';
export type { EventSourceView } from './mappings.ts';
export { createLambda, type LambdaModel, type LambdaOptions } from './model.ts';
export type { EnvironmentView } from './pool.ts';
export type { ExecutionRoles, FunctionKeys } from './roles.ts';
export { provideSdk } from './sdk.ts';
export type { SqsRecord, SqsRecordAttribute } from './sqs-event.ts';
export { type WorkerOptions, workerExecutor } from './worker-executor.ts';

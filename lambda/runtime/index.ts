export type { PublishBatchResult, Published, PublishFailure } from './batch-result.ts';
export type { AwsClient } from './client.ts';
export { type ConsumeOptions, consume } from './consume.ts';
export { type ConsumerFunction, type ConsumerParts, consumer } from './consumer.ts';
export type { Reason } from './deadletter.ts';
export {
  ConditionFailed,
  ConfigurationError,
  DeadlineReached,
  type FailedCondition,
  LeaseLost,
  OutcomeUnknown,
  PermanentError,
  PublishRefused,
  RetryLater,
  StaleSequence,
  TableUnavailable,
} from './errors.ts';
export type { Gap, GapLetter } from './groups.ts';
export type {
  BasicContext,
  Handler,
  HandlerContext,
  HandlerFor,
  PlainHandler,
  TransactionalContext,
  TransactionalHandler,
} from './handler.ts';
export type { LambdaContext, SqsBatchResponse, SqsEvent, SqsRecord, SqsRecordAttribute } from './lambda.ts';
export type { LogFields, Logger } from './logger.ts';
export type { Measures, Metrics } from './metrics.ts';
export type { Progress } from './progress.ts';
export {
  type PublishEntry,
  type Publisher,
  type PublisherOptions,
  type PublishOptions,
  publisher,
} from './publisher.ts';
export type { Environment } from './settings.ts';

/**
 * One message as Lambda's event source hands it over (Lambda developer guide, "Example Amazon SQS message event").
 *
 * @example
 * ```ts
 * const record: SqsRecord = {
 *   messageId: '1', receiptHandle: 'r1', body: JSON.stringify(envelope),
 *   attributes: { ApproximateReceiveCount: '1' }, messageAttributes: {},
 * };
 * ```
 */
export interface SqsRecord {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly body: string;
  readonly attributes: {
    readonly ApproximateReceiveCount: string;
    readonly MessageGroupId?: string | undefined;
    readonly AWSTraceHeader?: string | undefined;
    /** Milliseconds since the Unix epoch. */
    readonly SentTimestamp?: string | undefined;
  };
  readonly messageAttributes: Readonly<Record<string, SqsRecordAttribute>>;
}

/**
 * A message attribute; a binary value is in base64.
 *
 * @example
 * ```ts
 * const type: SqsRecordAttribute = { dataType: 'String', stringValue: 'order.placed' };
 * ```
 */
export interface SqsRecordAttribute {
  readonly dataType: string;
  readonly stringValue?: string | undefined;
  readonly binaryValue?: string | undefined;
}

/**
 * What a consumer function is invoked with.
 *
 * @example
 * ```ts
 * const event: SqsEvent = { Records: [record] };
 * await handler(event, lambdaContext);
 * ```
 */
export interface SqsEvent {
  readonly Records: readonly SqsRecord[];
}

/**
 * What it answers: the messages that are not done. Everything else is deleted by the event source.
 *
 * @example
 * ```ts
 * const response: SqsBatchResponse = await handler(event, lambdaContext);
 * expect(response.batchItemFailures).toEqual([]);
 * ```
 */
export interface SqsBatchResponse {
  batchItemFailures: { itemIdentifier: string }[];
}

/**
 * The part of Lambda's context that the runtime reads.
 *
 * @example
 * ```ts
 * const lambdaContext: LambdaContext = { awsRequestId: 'test', getRemainingTimeInMillis: () => 30_000 };
 * ```
 */
export interface LambdaContext {
  readonly awsRequestId: string;
  /** The version of the function; it is written on dead letters. */
  readonly functionVersion?: string | undefined;
  /** Milliseconds until the function is stopped. */
  getRemainingTimeInMillis(): number;
  /**
   * Fires when that time has become shorter than it was at the start of the invocation: it is read anew. Lambda has
   * nothing like it; a worker that is told to stop has (`sluice/worker`).
   */
  readonly shortened?: AbortSignal | undefined;
}

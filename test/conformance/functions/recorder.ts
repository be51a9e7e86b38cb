import { setTimeout as pause } from 'node:timers/promises';
import { SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';

/**
 * What a function is told to do, by the body of a message or by the payload of an invocation: it does these in the order
 * in which they stand here.
 */
export interface Orders {
  /** Waits first. */
  readonly sleep?: number;
  /** Ends its process. */
  readonly exit?: true;
  /** Throws an error with this message. */
  readonly throw?: string;
  /** Of a message: names it in `batchItemFailures`. */
  readonly fail?: true;
  /** Answers exactly this, whatever else was ordered. */
  readonly answer?: unknown;
  /** Answers a text of so many characters. */
  readonly long?: number;
  /** Answers its variables of these names, and what its context says. */
  readonly variables?: readonly string[];
}

/** What a function says of an invocation, in a queue: once as it begins, once as it ends. */
export interface Report {
  readonly kind: 'begin' | 'end';
  readonly requestId: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly event: { readonly Records?: readonly RecordedMessage[] };
}

/** A message as the event source hands it over. */
export interface RecordedMessage {
  readonly messageId: string;
  readonly body: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly [member: string]: unknown;
}

interface Context {
  readonly awsRequestId: string;
  readonly functionName: string;
  readonly functionVersion: string;
  readonly invokedFunctionArn: string;
  readonly memoryLimitInMB: string;
  getRemainingTimeInMillis(): number;
}

const { REPORT_QUEUE, ENDPOINT } = process.env;
const sqs = new SQSClient({
  useQueueUrlAsEndpoint: false,
  ...(ENDPOINT === undefined
    ? {}
    : { endpoint: ENDPOINT, credentials: { accessKeyId: 'test', secretAccessKey: 'test' } }),
});

/** The function of the cases. */
export async function handler(event: Orders & Report['event'], context: Context): Promise<unknown> {
  const report = async (kind: Report['kind']) => {
    if (REPORT_QUEUE === undefined) return;
    const body: Report = { kind, requestId: context.awsRequestId, at: Date.now(), event };
    await sqs.send(new SendMessageCommand({ QueueUrl: REPORT_QUEUE, MessageBody: JSON.stringify(body) }));
  };
  await report('begin');
  const records = event.Records ?? [];
  const orders = event.Records === undefined ? [event] : records.map(({ body }) => ordersIn(body));
  const longest = Math.max(0, ...orders.map(({ sleep = 0 }) => sleep));
  if (longest > 0) await pause(longest * 1000);
  if (orders.some(({ exit }) => exit)) process.exit(1);
  const thrown = orders.find((each) => each.throw !== undefined)?.throw;
  if (thrown !== undefined) throw new RangeError(thrown);
  await report('end');
  const first = orders.find((each) => 'answer' in each || each.long !== undefined || each.variables);
  if (first?.long !== undefined) return 'x'.repeat(first.long);
  if (first?.variables !== undefined) return about(first.variables, context);
  if (first !== undefined) return first.answer;
  const failed = records.filter((_, index) => orders[index]?.fail);
  return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
}

const about = (names: readonly string[], context: Context) => ({
  variables: Object.fromEntries(names.map((name) => [name, process.env[name]])),
  requestId: context.awsRequestId,
  functionName: context.functionName,
  version: context.functionVersion,
  arn: context.invokedFunctionArn,
  memory: context.memoryLimitInMB,
  remaining: context.getRemainingTimeInMillis(),
});

function ordersIn(body: string): Orders {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? (value as Orders) : {};
  } catch {
    // Plain text orders nothing.
    return {};
  }
}

/**
 * What a function is told to do, by the body of a message or by the payload of an invocation: it does these in the order
 * in which they stand here.
 */
export interface Orders {
  /** Waits first, in seconds. */
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

/** What Lambda tells a function of its invocation. */
export interface Context {
  readonly awsRequestId: string;
  readonly functionName: string;
  readonly functionVersion: string;
  readonly invokedFunctionArn: string;
  readonly memoryLimitInMB: string;
  getRemainingTimeInMillis(): number;
}

/** Where a function runs. */
export interface Surroundings {
  readonly variables: Readonly<Record<string, string | undefined>>;
  now(): number;
  sleep(seconds: number): Promise<unknown>;
  exit(): void;
  /** Sends a text to the queue of REPORT_QUEUE. */
  send(queueUrl: string, text: string): Promise<unknown>;
}

/** Does what an event orders, and reports it. */
export async function obey(
  event: Orders & Report['event'],
  context: Context,
  { variables, now, sleep, exit, send }: Surroundings,
): Promise<unknown> {
  const report = async (kind: Report['kind']) => {
    if (variables.REPORT_QUEUE === undefined) return;
    const body: Report = { kind, requestId: context.awsRequestId, at: now(), event };
    await send(variables.REPORT_QUEUE, JSON.stringify(body));
  };
  await report('begin');
  const records = event.Records ?? [];
  const orders = event.Records === undefined ? [event] : records.map(({ body }) => ordersIn(body));
  const longest = Math.max(0, ...orders.map((each) => each.sleep ?? 0));
  if (longest > 0) await sleep(longest);
  if (orders.some((each) => each.exit)) exit();
  const thrown = orders.find((each) => each.throw !== undefined)?.throw;
  if (thrown !== undefined) throw new RangeError(thrown);
  await report('end');
  const first = orders.find((each) => 'answer' in each || each.long !== undefined || each.variables);
  if (first?.long !== undefined) return 'x'.repeat(first.long);
  if (first?.variables !== undefined)
    return {
      variables: Object.fromEntries(first.variables.map((name) => [name, variables[name]])),
      requestId: context.awsRequestId,
      functionName: context.functionName,
      version: context.functionVersion,
      arn: context.invokedFunctionArn,
      memory: context.memoryLimitInMB,
      remaining: context.getRemainingTimeInMillis(),
    };
  if (first !== undefined) return first.answer;
  const failed = records.filter((_, index) => orders[index]?.fail);
  return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
}

function ordersIn(body: string): Orders {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? (value as Orders) : {};
  } catch {
    // Plain text orders nothing.
    return {};
  }
}

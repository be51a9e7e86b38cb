import { fileURLToPath } from 'node:url';
import {
  CreateRoleCommand,
  DeleteRoleCommand,
  DeleteRolePolicyCommand,
  PutRolePolicyCommand,
} from '@aws-sdk/client-iam';
import {
  CreateEventSourceMappingCommand,
  type CreateEventSourceMappingCommandInput,
  CreateFunctionCommand,
  type CreateFunctionCommandInput,
  DeleteEventSourceMappingCommand,
  DeleteFunctionCommand,
  GetEventSourceMappingCommand,
  GetFunctionCommand,
  InvokeCommand,
} from '@aws-sdk/client-lambda';
import {
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  type QueueAttributeName,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SendMessageCommand,
} from '@aws-sdk/client-sqs';
import { buildSync } from 'esbuild';
import { Difference } from '../../case.ts';
import type { Orders, RecordedMessage, Report } from '../../functions/orders.ts';
import type { World } from '../../world.ts';
import { queue } from './sqs.ts';
import { zipOf } from './zip.ts';

export type { Orders, RecordedMessage, Report };

/** The recorder as one file, bundled once. */
let bundled: Buffer | undefined;
function recorderZip(): Buffer {
  bundled ??= zipOf(
    'index.js',
    buildSync({
      entryPoints: [fileURLToPath(new URL('../../functions/recorder.ts', import.meta.url))],
      bundle: true,
      minify: true,
      write: false,
      platform: 'node',
      target: 'node20',
      format: 'cjs',
    }).outputFiles[0]!.text,
  );
  return bundled;
}

/** The role of the functions: a name on servers; on AWS one that may only use the queues of this run. */
async function roleFor({ server, account, iam, name, after }: World): Promise<string> {
  if (server !== 'aws') return `arn:aws:iam::${account}:role/conformance`;
  const RoleName = name('role');
  const Version = '2012-10-17';
  const { Role } = await iam.send(
    new CreateRoleCommand({
      RoleName,
      AssumeRolePolicyDocument: JSON.stringify({
        Version,
        Statement: [
          { Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' }, Action: 'sts:AssumeRole' },
        ],
      }),
    }),
  );
  after(() => iam.send(new DeleteRoleCommand({ RoleName })));
  const Action = ['ReceiveMessage', 'DeleteMessage', 'GetQueueAttributes', 'SendMessage'];
  const PolicyName = 'queues';
  await iam.send(
    new PutRolePolicyCommand({
      RoleName,
      PolicyName,
      PolicyDocument: JSON.stringify({
        Version,
        Statement: [
          {
            Effect: 'Allow',
            Action: Action.map((one) => `sqs:${one}`),
            // The queues of this run: names end with the run and a number.
            Resource: `arn:aws:sqs:*:${account}:${RoleName.replace(/^role-(.*)-\d+$/, 'queue-$1-*')}`,
          },
        ],
      }),
    }),
  );
  after(() => iam.send(new DeleteRolePolicyCommand({ RoleName, PolicyName })));
  return Role?.Arn ?? '';
}

/** What a recorder may be made with, besides what the kit sets. */
export type RecorderOptions = Partial<CreateFunctionCommandInput>;

/** A function that does what it is ordered, and tells of its invocations. */
export interface Recorder {
  readonly name: string;
  readonly arn: string;
  /** Waits for `count` invocations that have begun; gives all that have, in the order of their time. */
  begun(count: number, within?: number): Promise<readonly Report[]>;
  /** Waits for `count` invocations that have come to their end. */
  ended(count: number, within?: number): Promise<readonly Report[]>;
  /** All reports that are there after `seconds` more. */
  quiet(seconds: number): Promise<readonly Report[]>;
}

/** Makes the function of a case, with a queue for its reports. */
export async function recorder(world: World, options: RecorderOptions = {}): Promise<Recorder> {
  const { lambda, sqs, after } = world;
  const reportsUrl = await queue(world, { VisibilityTimeout: '30' });
  const FunctionName = options.FunctionName ?? world.name('function');
  const Role = await roleFor(world);
  const variables = {
    REPORT_QUEUE: reportsUrl,
    ...(world.server === 'aws' ? {} : { ENDPOINT: world.url }),
    ...options.Environment?.Variables,
  };
  const create = new CreateFunctionCommand({
    Runtime: 'nodejs22.x',
    Handler: 'index.handler',
    Timeout: 2,
    MemorySize: 256,
    ...options,
    FunctionName,
    Role,
    Code: { ZipFile: recorderZip() },
    Environment: { Variables: variables },
  });
  // A role that was just made cannot be assumed at once: a server of this machine knows no such wait.
  const FunctionArn = await world.eventually('a role that can be assumed', 30, async () => {
    try {
      return (await lambda.send(create)).FunctionArn ?? '';
    } catch (error) {
      if (!(error instanceof Error) || !/cannot be assumed by Lambda/.test(error.message)) throw error;
      return undefined;
    }
  });
  after(() => lambda.send(new DeleteFunctionCommand({ FunctionName })));
  await active(world, FunctionName);

  const heard: Report[] = [];
  const listen = async (wait: number) => {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl: reportsUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: wait }),
    );
    for (const { Body } of Messages) heard.push(JSON.parse(Body ?? '') as Report);
    if (Messages.length > 0)
      await sqs.send(
        new DeleteMessageBatchCommand({
          QueueUrl: reportsUrl,
          Entries: Messages.map(({ ReceiptHandle }, index) => ({ Id: `${index}`, ReceiptHandle })),
        }),
      );
    heard.sort((one, other) => one.at - other.at);
    return Messages.length;
  };
  const waitFor = async (kind: Report['kind'], count: number, within: number) => {
    const verb = kind === 'begin' ? 'began' : 'ended';
    const end = world.now() + within * 1000;
    for (;;) {
      const found = heard.filter((each) => each.kind === kind);
      if (found.length >= count) return found;
      if (world.now() >= end)
        throw new Difference(
          `Within ${within} s ${found.length} of ${count} invocations ${verb}${found.length === 0 ? '' : `, with ${found.map((each) => (each.event.Records ?? []).length).join(' and ')} messages`}.`,
        );
      await listen(1);
    }
  };
  return {
    name: FunctionName,
    arn: FunctionArn,
    begun: (count, within = 15) => waitFor('begin', count, within),
    ended: (count, within = 15) => waitFor('end', count, within),
    async quiet(seconds) {
      await world.pass(seconds);
      while ((await listen(0)) > 0);
      return heard;
    },
  };
}

/** Waits until a function can be invoked. */
async function active({ lambda, eventually }: World, FunctionName: string): Promise<void> {
  await eventually(`function ${FunctionName} to be active`, 30, async () => {
    const { Configuration } = await lambda.send(new GetFunctionCommand({ FunctionName }));
    return Configuration?.State === undefined || Configuration.State === 'Active' ? true : undefined;
  });
}

/** The ARN of a queue. */
export async function arnOf({ sqs }: World, QueueUrl: string): Promise<string> {
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }),
  );
  return Attributes?.QueueArn ?? '';
}

/** A queue that a function can have as its source: its messages hide for three seconds unless said otherwise. */
export async function sourceQueue(
  world: World,
  attributes: Partial<Record<QueueAttributeName, string>> = {},
): Promise<{ url: string; arn: string }> {
  const url = await queue(world, { VisibilityTimeout: '3', ...attributes });
  return { url, arn: await arnOf(world, url) };
}

/** What an event source may be made with. */
export type SourceOptions = Partial<CreateEventSourceMappingCommandInput>;

/** Makes an event source and waits until it polls. Gives its id. */
export async function subscribe(
  world: World,
  functionName: string,
  queueArn: string,
  options: SourceOptions = {},
): Promise<string> {
  const { lambda, after, eventually } = world;
  const { UUID = '' } = await lambda.send(
    new CreateEventSourceMappingCommand({
      FunctionName: functionName,
      EventSourceArn: queueArn,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      ...options,
    }),
  );
  after(() => lambda.send(new DeleteEventSourceMappingCommand({ UUID })));
  await eventually('the event source to be enabled', 90, async () => {
    const { State } = await lambda.send(new GetEventSourceMappingCommand({ UUID }));
    return State === 'Enabled' || (State === 'Disabled' && options.Enabled === false) ? true : undefined;
  });
  return UUID;
}

/** Sends messages with orders, in batches: texts go as they are. */
export async function give(
  { sqs }: World,
  QueueUrl: string,
  messages: readonly (Orders | string)[],
  group?: (index: number) => string,
): Promise<void> {
  const bodies = messages.map((each) => (typeof each === 'string' ? each : JSON.stringify(each)));
  for (let start = 0; start < bodies.length; start += 10)
    await sqs.send(
      new SendMessageBatchCommand({
        QueueUrl,
        Entries: bodies.slice(start, start + 10).map((MessageBody, offset) => ({
          Id: `${start + offset}`,
          MessageBody,
          ...(group === undefined
            ? {}
            : {
                MessageGroupId: group(start + offset),
                MessageDeduplicationId: `${start + offset}-${Math.random()}`,
              }),
        })),
      }),
    );
}

/** Sends one message with attributes, or in a group. */
export const giveOne = ({ sqs }: World, input: ConstructorParameters<typeof SendMessageCommand>[0]) =>
  sqs.send(new SendMessageCommand(input));

/** How many messages a queue holds: waiting and in flight. */
export async function depthOf({ sqs }: World, QueueUrl: string): Promise<{ waiting: number; taken: number }> {
  const { Attributes: found = {} } = await sqs.send(
    new GetQueueAttributesCommand({
      QueueUrl,
      AttributeNames: ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'],
    }),
  );
  return {
    waiting: Number(found.ApproximateNumberOfMessages),
    taken: Number(found.ApproximateNumberOfMessagesNotVisible),
  };
}

/** Waits until a queue is empty, with nothing in flight. */
export const emptied = (world: World, url: string, within = 10) =>
  world.eventually('the queue to be empty', within, async () => {
    const { waiting, taken } = await depthOf(world, url);
    return waiting + taken === 0 ? true : undefined;
  });

/** Invokes a function; the payload comes back parsed. */
export async function invoke({ lambda }: World, FunctionName: string, orders: Orders | undefined) {
  const { Payload, ...answer } = await lambda.send(
    new InvokeCommand({
      FunctionName,
      ...(orders === undefined ? {} : { Payload: JSON.stringify(orders) }),
    }),
  );
  const text = Buffer.from(Payload ?? new Uint8Array()).toString('utf8');
  return { ...answer, text, payload: text === '' ? undefined : (JSON.parse(text) as unknown) };
}

/** The messages of an invocation, by body. */
export const bodiesOf = (report: Report | undefined): string[] =>
  (report?.event.Records ?? []).map(({ body }) => body);

/** The first record of an invocation. */
export const firstRecord = (report: Report | undefined): RecordedMessage => {
  const record = report?.event.Records?.[0];
  if (record === undefined) throw new Difference('The function was invoked without a record.');
  return record;
};

/** How many invocations ran at once, by reports in the order of their time. */
export function mostAtOnce(reports: readonly Report[]): number {
  let most = 0;
  const running = new Set<string>();
  for (const { kind, requestId } of reports) {
    if (kind === 'begin') running.add(requestId);
    else running.delete(requestId);
    most = Math.max(most, running.size);
  }
  return most;
}

/** How long after its first receive a message was handed over, in milliseconds: the receive begins its visibility. */
export const sinceFirstReceive = (report: Report | undefined): number =>
  (report?.at ?? 0) - Number(firstRecord(report).attributes.ApproximateFirstReceiveTimestamp);

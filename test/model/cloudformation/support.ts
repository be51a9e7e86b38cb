import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { milliseconds, seededRandom } from '../../../lib/base/index.ts';
import { createVirtualClock } from '../../../local/clock.ts';
import {
  type AssemblyStack,
  type CloudAssembly,
  createCloudFormation,
  type DeploymentServices,
  type Template,
} from '../../../local/cloudformation/index.ts';
import { type ModelContext, type Operation, ServiceError } from '../../../local/service.ts';

type Input = Readonly<Record<string, unknown>>;

/** One call of an action, as the fake services saw it. */
export interface Seen {
  readonly action: string;
  readonly input: Readonly<Record<string, unknown>>;
}

const answers: Readonly<Record<string, (input: Input) => object>> = {
  CreateQueue: ({ QueueName }) => ({ QueueUrl: `http://127.0.0.1:4566/000000000000/${QueueName}` }),
  GetQueueAttributes: ({ QueueUrl }) => ({
    Attributes: { QueueArn: `arn:aws:sqs:us-east-1:000000000000:${String(QueueUrl).split('/').at(-1)}` },
  }),
  GetQueueUrl: () => {
    throw new ServiceError('QueueDoesNotExist', 'The specified queue does not exist.');
  },
  GetTopicAttributes: () => {
    throw new ServiceError('NotFoundException', 'Topic does not exist');
  },
  CreateTopic: ({ Name }) => ({ TopicArn: `arn:aws:sns:us-east-1:000000000000:${Name}` }),
  Subscribe: ({ TopicArn }) => ({ SubscriptionArn: `${TopicArn}:subscription` }),
  CreateTable: ({ TableName }) => ({
    TableDescription: { TableArn: `arn:aws:dynamodb:us-east-1:000000000000:table/${TableName}` },
  }),
  CreateFunction: ({ FunctionName }) => ({
    FunctionArn: `arn:aws:lambda:us-east-1:000000000000:function:${FunctionName}`,
  }),
  CreateEventSourceMapping: () => ({ UUID: 'mapping-id' }),
};

type Faked = 'sqs' | 'sns' | 'dynamodb' | 'cloudwatch' | 'lambda';

const actions: Readonly<Record<Faked, readonly string[]>> = {
  sqs: [
    'CreateQueue',
    'DeleteMessageBatch',
    'DeleteQueue',
    'GetQueueAttributes',
    'GetQueueUrl',
    'ReceiveMessage',
    'SetQueueAttributes',
  ],
  sns: ['CreateTopic', 'DeleteTopic', 'GetTopicAttributes', 'SetTopicAttributes', 'Subscribe', 'Unsubscribe'],
  dynamodb: ['CreateTable', 'DeleteTable', 'UpdateTimeToLive'],
  cloudwatch: ['PutMetricAlarm', 'DeleteAlarms', 'PutDashboard', 'DeleteDashboards'],
  lambda: [
    'CreateFunction',
    'DeleteFunction',
    'PutFunctionConcurrency',
    'CreateEventSourceMapping',
    'DeleteEventSourceMapping',
    'AddPermission',
    'RemovePermission',
  ],
};

/**
 * CloudFormation over services that answer like the real ones and remember; `fail` makes one action throw,
 * `makeLambda` puts a real Lambda in place of the one that only remembers.
 */
export function prepare(
  options: {
    fail?: string;
    makeLambda?: (
      context: ModelContext,
      fakes: { sqs: DeploymentServices['sqs'] },
    ) => DeploymentServices['lambda'];
  } = {},
) {
  const seen: Seen[] = [];
  const code = new Map<string, string>();
  const fake = (service: Faked) => ({
    operations: Object.fromEntries(
      actions[service].map((action): [string, Operation<Input, object>] => [
        action,
        (input) => {
          if (action === options.fail) throw new Error(`${action} fails`);
          seen.push({ action, input });
          return answers[action]?.(input) ?? {};
        },
      ]),
    ),
  });
  const context: ModelContext = {
    clock: createVirtualClock(milliseconds(0)),
    random: seededRandom(1),
    account: '000000000000',
    region: 'us-east-1',
    endpoint: 'http://127.0.0.1:4566',
    metrics: { count: () => undefined, gauge: () => () => undefined },
  };
  const sqs = fake('sqs');
  const services: DeploymentServices = {
    sqs,
    sns: fake('sns'),
    dynamodb: fake('dynamodb'),
    cloudwatch: fake('cloudwatch'),
    lambda: options.makeLambda?.(context, { sqs }) ?? {
      ...fake('lambda'),
      provideCode: (bucket, key, folder) => code.set(`${bucket}/${key}`, folder),
    },
  };
  const cloudformation = createCloudFormation(context, services);
  const deploy = (template: Template, parameters: Record<string, string> = {}, name = 'Shop') =>
    cloudformation.deploy(assemblyOf({ name, template, parameters: {} }), undefined, { parameters });
  const inputs = (action: string) =>
    seen.filter((entry) => entry.action === action).map(({ input }) => input);
  return { cloudformation, services, deploy, seen, inputs, code };
}

/** An assembly that is not on any disk. */
export const assemblyOf = (...stacks: AssemblyStack[]): CloudAssembly => ({
  folder: '/assembly',
  stacks,
  assets: [],
});

/** A folder with the given files, texts or values to write as JSON; `remove` when done. */
export function assemblyFolder(files: Readonly<Record<string, unknown>>) {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-assembly-'));
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content));
  }
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { AttributeType, Table } from 'aws-cdk-lib/aws-dynamodb';
import { Vpc } from 'aws-cdk-lib/aws-ec2';
import { ContainerImage, FargateTaskDefinition } from 'aws-cdk-lib/aws-ecs';
import { Alias, Key } from 'aws-cdk-lib/aws-kms';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Consumer, MessagingStack, type MessagingStackProps } from 'sluice/cdk';
import { describe, expect, it } from 'vitest';
import { handlers, shop } from '../fixtures/shop.ts';
import type { TemplateResource } from './ids.ts';
import { cycleOf, type Found, referencesOf } from './templates.ts';

type Props = Partial<MessagingStackProps<typeof shop>>;

/** Where things are that exist already: the stack itself cannot hold them, another stack of the app can. */
interface World {
  readonly app: App;
  readonly there: Stack;
}

type Choice = (world: World) => Props;

const env = { account: '222222222222', region: 'eu-west-1' };
const queues = ({ there }: World, name: string) => ({
  queue: new Queue(there, name, { fifo: true }),
  deadLetterQueue: new Queue(there, `${name}Dead`, { fifo: true }),
  subscriptionDeadLetterQueue: new Queue(there, `${name}Undelivered`, { fifo: true }),
});
const runtime = Runtime.NODEJS_24_X;
const code = Code.fromInline('exports.handler = () => {}');
const theirs = (what: string) => `arn:aws:${what}:eu-west-1:111111111111:`;

const table = ({ there }: World, encryptionKey?: Key) =>
  new Table(there, 'Records', {
    partitionKey: { name: 'pk', type: AttributeType.STRING },
    ...(encryptionKey === undefined ? {} : { encryptionKey }),
  });

/** What is chosen alone; all choices of one of these are tried with all of the others. */
const choices: Readonly<Record<string, Readonly<Record<string, Choice>>>> = {
  stage: { prod: () => ({ stage: 'prod' }), dev: () => ({ stage: 'dev' }) },
  keys: {
    ofAws: () => ({}),
    one: () => ({ encryption: 'customerKey' }),
    many: () => ({ encryption: 'customerKeys' }),
    existing: ({ there }) => ({ encryptionKey: new Key(there, 'Key') }),
    alias: ({ there }) => ({
      encryptionKey: new Alias(there, 'Alias', {
        aliasName: 'alias/shop',
        targetKey: new Key(there, 'Key'),
      }) as never,
    }),
    imported: ({ there }) => ({
      encryptionKey: Key.fromKeyArn(there, 'Key', `${theirs('kms')}key/11111111-2222-3333-4444-555555555555`),
    }),
  },
  parts: {
    made: () => ({}),
    queues: (world) => ({ subscribers: { payments: queues(world, 'Old') } }),
    underTheirKey: ({ there }) => {
      const encryptionMasterKey = new Key(there, 'QueueKey');
      return {
        subscribers: { payments: { queue: new Queue(there, 'Old', { fifo: true, encryptionMasterKey }) } },
      };
    },
    topicAndTable: (world) => ({
      topics: {
        orders: new Topic(world.there, 'Orders', { fifo: true, masterKey: new Key(world.there, 'TopicKey') }),
      },
      records: table(world, new Key(world.there, 'TableKey')),
    }),
    elsewhere: ({ there }) => ({
      topics: { orders: Topic.fromTopicArn(there, 'Orders', `${theirs('sns')}orders.fifo`) },
      only: ['payments', 'analytics'],
    }),
  },
  consumers: {
    lambda: () => ({}),
    worker: () => ({ consumers: 'worker' }),
    network: ({ there }) => ({ vpc: new Vpc(there, 'Network') }),
    function: ({ app }) => ({
      subscribers: {
        analytics: {
          consumer: Consumer.fromFunction(
            new LambdaFunction(new Stack(app, 'Functions', { env }), 'Fn', {
              runtime,
              code,
              handler: 'index.handler',
            }),
          ),
        },
      },
    }),
    container: () => ({
      subscribers: {
        analytics: {
          consumer: Consumer.container((scope) => {
            const task = new FargateTaskDefinition(scope, 'Task');
            task.addContainer('worker', { image: ContainerImage.fromRegistry('analytics') });
            return task;
          }),
        },
      },
    }),
  },
  alarms: {
    none: () => ({ alarms: 'none' }),
    mail: () => ({ alarmEmails: ['on-call@example.com'] }),
    topic: ({ there }) => ({
      alarmTopic: new Topic(there, 'Pager', { masterKey: new Key(there, 'PagerKey') }),
    }),
  },
};

/** Every choice of one kind with every choice of the others. */
const combinations = Object.entries(choices).reduce<readonly (readonly [string, Choice][])[]>(
  (all, [kind, each]) =>
    all.flatMap((some) =>
      Object.entries(each).map(([name, choice]) => [...some, [`${kind} ${name}`, choice] as const]),
    ),
  [[]],
) as readonly (readonly (readonly [string, Choice])[])[];

/** Those in which every choice meets every other of another kind, each time the one that brings most such pairs. */
function pairwise(all: typeof combinations): typeof combinations {
  const pairsOf = (chosen: readonly (readonly [string, Choice])[]) =>
    chosen.flatMap(([one], at) => chosen.slice(at + 1).map(([other]) => `${one} with ${other}`));
  const open = new Set(all.flatMap(pairsOf));
  const picked: (typeof combinations)[number][] = [];
  while (open.size > 0) {
    const gain = (chosen: (typeof combinations)[number]) =>
      pairsOf(chosen).filter((pair) => open.has(pair)).length;
    const best = all.reduce((one, other) => (gain(other) > gain(one) ? other : one));
    for (const pair of pairsOf(best)) open.delete(pair);
    picked.push(best);
  }
  return picked;
}

const tried = pairwise(combinations);

const context = {
  'aws:cdk:bundling-stacks': [],
  '@aws-cdk/core:defaultCrossStackReferences': 'strong',
};

function templatesOf(chosen: readonly (readonly [string, Choice])[]): ReadonlyMap<string, Found[]> {
  const app = new App({ context });
  const world = { app, there: new Stack(app, 'There', { env }) };
  const props = chosen.map(([, choice]) => choice(world));
  const merged = Object.assign({}, ...props) as Props;
  const subscribers = Object.assign({}, ...props.map((each) => each.subscribers)) as Props['subscribers'];
  const stack = new MessagingStack(app, 'Shop', {
    messaging: shop,
    handlers,
    env,
    ...merged,
    ...(subscribers && { subscribers }),
  });
  stack.grantPublish(new LambdaFunction(stack, 'Checkout', { runtime, code, handler: 'index.handler' }));
  return new Map(
    app.node.children.filter(Stack.isStack).map((each) => {
      const { Resources = {}, Outputs = {} } = Template.fromStack(each).toJSON() as Record<
        string,
        Record<string, TemplateResource>
      >;
      const outputs = Object.entries(Outputs).map(([id, value]) => ({ id: `output ${id}`, ...value }));
      return [
        each.stackName,
        [...Object.entries(Resources).map(([id, value]) => ({ id, ...value })), ...outputs],
      ];
    }),
  );
}

/** Statements of one policy that share a name: AWS refuses such a policy. */
function sharedSids(resources: readonly Found[]): string[] {
  return resources.flatMap(({ id, Properties }) => {
    const { Statement = [] } = (Properties?.PolicyDocument ?? Properties?.KeyPolicy ?? {}) as {
      Statement?: { Sid?: string }[];
    };
    const sids = Statement.flatMap(({ Sid }) => Sid ?? []);
    return sids.filter((sid, at) => sids.indexOf(sid) !== at).map((sid) => `${id}: ${sid}`);
  });
}

/** What refers to nothing of its template. */
function dangling(resources: readonly Found[]): string[] {
  const ids = new Set(resources.map(({ id }) => id));
  return resources.flatMap(({ id, ...resource }) =>
    [...referencesOf(resource)]
      .filter((to) => !to.startsWith('AWS::') && !ids.has(to))
      .map((to) => `${id}: ${to}`),
  );
}

describe('Whatever is combined, the templates can be deployed', () => {
  it(`no cycle, no reference to nothing, no statement twice: ${tried.length} of ${combinations.length} combinations`, () => {
    for (const chosen of tried) {
      const names = chosen.map(([name]) => name).join(', ');
      for (const [stack, resources] of templatesOf(chosen)) {
        expect(cycleOf(resources), `${stack}: ${names}`).toBeUndefined();
        expect(
          dangling(resources).filter((each) => !/: (BootstrapVersion|.*Parameter.*)$/.test(each)),
          `${stack}: ${names}`,
        ).toEqual([]);
        expect(sharedSids(resources), `${stack}: ${names}`).toEqual([]);
        expect(JSON.stringify(resources), `${stack}: ${names}`).not.toMatch(
          /\$\{Token\[|undefined|\[object Object\]/,
        );
      }
    }
  });
});

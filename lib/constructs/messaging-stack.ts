import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Annotations, type RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import type { AlarmBase, Dashboard } from 'aws-cdk-lib/aws-cloudwatch';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { BundlingOptions } from 'aws-cdk-lib/aws-lambda-nodejs';
import type { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { dashboardOf, type PhysicalName, topicAlarms, watchedTopic } from '../monitoring/index.ts';
import {
  type Messaging,
  environment as names,
  type Subscriber,
  type SubscriberName,
} from '../topology/index.ts';
import { allowAlarms } from './alarm-topic.ts';
import { Alarms } from './alarms.ts';
import { findLockFile } from './bundling.ts';
import { MessagingDashboard } from './dashboard.ts';
import { pascalCase } from './naming.ts';
import { addOutputs } from './outputs.ts';
import { RecordsTable } from './records-table.ts';
import { MessagingSubscriber } from './subscriber.ts';
import { type AlarmSet, type Consumers, chooseAlarms, chooseConsumers } from './switches.ts';
import { MessagingTopic } from './topic.ts';
import { alarmsWanted, rowsWanted } from './watched.ts';

/**
 * Props of {@link MessagingStack}.
 *
 * @example
 * ```ts
 * const props: MessagingStackProps<typeof shop> = {
 *   messaging: shop,
 *   handlers: '/app/handlers',
 *   alarmTopic,
 *   logRetention: RetentionDays.ONE_WEEK,
 * };
 * ```
 */
export interface MessagingStackProps<M extends Messaging = Messaging> extends StackProps {
  /** What is deployed, made by `defineMessaging`. */
  readonly messaging: M;
  /** The folder that the subscribers' `handler` is relative to, as an absolute path. */
  readonly handlers: string;
  /**
   * Who hears of alarms. Its policy, and its key when it has one, are made to let CloudWatch publish.
   *
   * @default - nobody: the alarms only change their state
   */
  readonly alarmTopic?: ITopic;
  /**
   * Where the runbook is, for the descriptions of alarms; an anchor is appended.
   *
   * @default 'docs/watch.md'
   */
  readonly runbook?: string;
  /**
   * The physical name of the table of records: 3 to 255 letters, digits, dots, hyphens or underscores.
   *
   * @default - chosen by CloudFormation
   */
  readonly recordsTableName?: string;
  /**
   * What becomes of the table of records when the stack is deleted.
   *
   * @default RemovalPolicy.RETAIN
   */
  readonly recordsRemovalPolicy?: RemovalPolicy;
  /**
   * How long the functions' logs are kept.
   *
   * @default RetentionDays.ONE_MONTH
   */
  readonly logRetention?: RetentionDays;
  /**
   * Environment variables of every consumer function. For one of them alone:
   * `stack.subscriber('payments').function.addEnvironment(...)`.
   *
   * @default - only those that the runtime needs
   */
  readonly environment?: Readonly<Record<string, string>>;
  /**
   * The dashboard's name.
   *
   * @default - the stack's name
   */
  readonly dashboardName?: string;
  /**
   * Changes to how handlers are bundled.
   *
   * @default - one minified ES module with everything inside, the AWS SDK too
   */
  readonly bundling?: BundlingOptions;
  /**
   * The lock file of the package that holds the handlers.
   *
   * @default - the first one found from `handlers` upwards
   */
  readonly depsLockFilePath?: string;
  /**
   * Who runs the handlers. With `worker` the stack has no functions, event sources and logs; workers are started
   * elsewhere, with {@link MessagingSubscriber.grantWork} and {@link MessagingSubscriber.workerEnvironment}. The context
   * `sluice:consumers` says it for one synthesis, whatever stands here.
   *
   * @default 'lambda'
   */
  readonly consumers?: Consumers;
  /**
   * Which alarms are made; `plain` are those on one metric as it is, without an expression. The context `sluice:alarms`
   * says it for one synthesis, whatever stands here.
   *
   * @default 'all'
   */
  readonly alarms?: AlarmSet;
}

/**
 * Deploys a declaration: topics, queues with their dead-letter queues, consumers, the table of records, alarms,
 * dashboard and outputs.
 *
 * @throws Error listing every subscriber whose handler file does not exist, or naming a table's name that DynamoDB
 *   refuses, or a switch with a value that is not allowed
 * @example
 * ```ts
 * const stack = new MessagingStack(app, 'Shop', {
 *   messaging: shop,
 *   handlers: fileURLToPath(new URL('./handlers', import.meta.url)),
 * });
 * stack.subscriber('payments').function.addEnvironment('PROVIDER_URL', url);
 * stack.grantPublish(checkout);
 * ```
 */
export class MessagingStack<M extends Messaging = Messaging> extends Stack {
  readonly messaging: M;
  /** The table of records, on demand, with time to live and point-in-time recovery. */
  readonly records: Table;
  readonly dashboard: Dashboard;
  /** Who runs the handlers: by the context, else by the prop. */
  readonly consumers: Consumers;
  /** Every alarm by its key, for example `payments-A-lag`. */
  readonly alarms: ReadonlyMap<string, AlarmBase>;
  readonly #topics = new Map<string, MessagingTopic>();
  readonly #subscribers = new Map<string, MessagingSubscriber>();

  constructor(scope: Construct, id: string, props: MessagingStackProps<M>) {
    super(scope, id, props);
    const { messaging, handlers, alarmTopic, runbook } = props;
    const subscribers: Subscriber[] = Object.values(messaging.subscribers);
    demandHandlers(subscribers, handlers);
    this.messaging = messaging;
    const consumers = chooseConsumers(this, props.consumers);
    const alarmSet = chooseAlarms(this, props.alarms);
    this.consumers = consumers;
    if (alarmTopic !== undefined) allowAlarms(alarmTopic);

    const records = new RecordsTable(this, 'Records', {
      tableName: props.recordsTableName,
      removalPolicy: props.recordsRemovalPolicy,
    });
    this.records = records.table;
    const alarms = new Map<string, AlarmBase>();
    for (const definition of Object.values(messaging.topics)) {
      const topic = new MessagingTopic(this, `${pascalCase(definition.name)}Topic`, { definition });
      this.#topics.set(definition.name, topic);
      const { physicalName } = topic;
      const definitions = alarmsWanted(topicAlarms(watchedTopic(messaging, definition)), alarmSet, consumers);
      for (const [key, alarm] of new Alarms(topic, 'Alarms', {
        definitions,
        physicalName,
        alarmTopic,
        runbook,
      }).byKey)
        alarms.set(key, alarm);
      if (definition.subscribers.length === 0)
        Annotations.of(topic).addWarningV2(
          'sluice:topicWithoutSubscriber',
          `Nobody subscribes to the topic "${definition.name}": what is published there is gone, unless somebody outside this stack subscribes.`,
        );
    }
    const depsLockFilePath = props.depsLockFilePath ?? findLockFile(handlers);
    for (const definition of subscribers) {
      const subscriber = new MessagingSubscriber(this, `${pascalCase(definition.name)}Subscriber`, {
        definition,
        topic: this.#topics.get(definition.topic) as MessagingTopic,
        entry: join(handlers, definition.handler),
        records,
        environment: props.environment,
        logRetention: props.logRetention,
        bundling: props.bundling,
        depsLockFilePath,
        alarmTopic,
        runbook,
        consumers,
        alarms: alarmSet,
      });
      this.#subscribers.set(definition.name, subscriber);
      for (const [key, alarm] of subscriber.alarms) alarms.set(key, alarm);
    }
    this.alarms = alarms;
    this.dashboard = new MessagingDashboard(this, 'Watch', {
      dashboardName: props.dashboardName ?? this.stackName,
      rows: rowsWanted(dashboardOf(messaging), consumers),
      recordsTable: records.table.tableName,
      alarms: [...alarms.values()],
      physicalName: this.#physicalName,
    }).dashboard;
    addOutputs(this, {
      topics: this.#topics.values(),
      subscribers: this.#subscribers.values(),
      records,
      dashboard: this.dashboard,
    });
  }

  /**
   * A topic by its name in the declaration.
   *
   * @throws Error when no such topic is declared
   * @example
   * ```ts
   * stack.topic('orders').topicArn;
   * ```
   */
  topic(name: string): Topic {
    return find(this.#topics, 'topic', name).topic;
  }

  /**
   * A subscriber by its name in the declaration, with everything that belongs to it.
   *
   * @throws Error when no such subscriber is declared
   * @example
   * ```ts
   * stock.grantWriteData(stack.subscriber('inventory').function);
   * ```
   */
  subscriber(name: SubscriberName<M>): MessagingSubscriber {
    return find(this.#subscribers, 'subscriber', name);
  }

  /**
   * Lets somebody publish. A function of the CDK is also told where: see {@link publisherEnvironment}.
   *
   * @param grantee - a role, user or function
   * @param topics - names of topics; all of the stack's when none is given
   * @throws Error when a topic is not declared
   * @example
   * ```ts
   * stack.grantPublish(checkout);
   * ```
   */
  grantPublish(grantee: IGrantable, ...topics: string[]): void {
    for (const name of topics.length === 0 ? this.#topics.keys() : topics)
      this.topic(name).grantPublish(grantee);
    if (grantee instanceof LambdaFunction)
      for (const [key, value] of Object.entries(this.publisherEnvironment(...topics)))
        grantee.addEnvironment(key, value);
  }

  /**
   * The environment variables from which `publisher(...)` of `sluice/lambda` knows the topics.
   *
   * @param topics - names of topics; all of the stack's when none is given
   * @throws Error when a topic is not declared
   * @example
   * ```ts
   * container.addEnvironment('SLUICE_TOPIC_ARN_ORDERS', stack.publisherEnvironment().SLUICE_TOPIC_ARN_ORDERS!);
   * ```
   */
  publisherEnvironment(...topics: string[]): Record<string, string> {
    return Object.fromEntries(
      (topics.length === 0 ? [...this.#topics.keys()] : topics).map((name) => [
        names.topicArn(name),
        this.topic(name).topicArn,
      ]),
    );
  }

  readonly #physicalName: PhysicalName = (target) =>
    target.kind === 'topic'
      ? find(this.#topics, 'topic', target.topic).physicalName(target)
      : find(this.#subscribers, 'subscriber', target.subscriber).physicalName(target);
}

function find<Found>(among: ReadonlyMap<string, Found>, what: string, name: string): Found {
  const found = among.get(name);
  if (found === undefined)
    throw new Error(
      `No ${what} is named "${name}"; declared are ${[...among.keys()].map((key) => `"${key}"`).join(', ') || 'none'}. Name one of them.`,
    );
  return found;
}

function demandHandlers(subscribers: readonly Subscriber[], folder: string): void {
  const absent = subscribers.filter((subscriber) => !existsSync(join(folder, subscriber.handler)));
  if (absent.length === 0) return;
  const lines = absent.map(
    ({ name, handler }) => `  - subscribers.${name}.handler: ${join(folder, handler)}`,
  );
  throw new Error(
    `These handlers do not exist:\n${lines.join('\n')}\nCreate the files, or correct "handler" in the declaration or "handlers" of the stack.`,
  );
}

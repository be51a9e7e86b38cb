import { Stack } from 'aws-cdk-lib';
import type { AlarmBase, Dashboard } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { entrance } from '../base/index.ts';
import { dashboardOf, type PhysicalName, topicAlarms, watchedTopic } from '../monitoring/index.ts';
import { type Messaging, environment as names, type SubscriberName, type Topic } from '../topology/index.ts';
import { AlarmTopic, allowAlarms } from './alarm-topic.ts';
import { Alarms } from './alarms.ts';
import { checkStack, Sluice } from './check/index.ts';
import { type AnyProps, checkProps } from './check-props.ts';
import { missingIndex } from './check-records.ts';
import { ConstructError } from './construct-error.ts';
import { variablesOf, withoutQualifier } from './consumer-function.ts';
import { MessagingDashboard } from './dashboard.ts';
import { topicProps } from './declared.ts';
import { type Held, heldBy, viewOf } from './held.ts';
import { chooseKeys, type Keys } from './keys.ts';
import { pascalCase } from './naming.ts';
import { addOutputs } from './outputs.ts';
import { RecordsTable } from './records-table.ts';
import { rememberShare } from './shares.ts';
import type { MessagingStackProps } from './stack-props.ts';
import { limitSize } from './stack-size.ts';
import { type Stage, settingsOf } from './stage.ts';
import { MessagingSubscriber } from './subscriber.ts';
import { worksOf } from './subscriber-works.ts';
import { type Consumers, chooseAlarms, chooseConsumers, chooseStage } from './switches.ts';
import { MessagingTopic } from './topic.ts';
import { TopicOwnerPolicy } from './topic-owner-policy.ts';
import { alarmsWanted } from './watched.ts';

/**
 * Deploys a declaration, or a share of it: topics, queues with their dead-letter queues, consumers, the table of records,
 * alarms, dashboard and outputs.
 *
 * @throws {StackError} listing every name that is not declared, every handler that does not exist and every prop that
 *   does not fit the others
 * @throws Error naming a table's name that DynamoDB refuses, or a switch with a value that is not allowed
 * @example
 * ```ts
 * const stack = new MessagingStack(app, 'Shop', {
 *   messaging: shop,
 *   handlers: fileURLToPath(new URL('./handlers', import.meta.url)),
 *   stage: 'prod',
 *   encryption: 'customerKey',
 * });
 * stack.subscriber('payments').function.addEnvironment('PROVIDER_URL', url);
 * stack.grantPublish(checkout);
 * ```
 */
export class MessagingStack<M extends Messaging = Messaging> extends Stack {
  static {
    entrance(MessagingStack);
  }

  readonly messaging: M;
  /** How careful it is with what it holds: by the context, else by the prop. */
  readonly stage: Stage;
  /** The table of records: the one that was given, else its own, on demand and with time to live. */
  readonly records: ITable;
  /** The customer key of everything, when there is one: given, or made. */
  readonly encryptionKey: IKey | undefined;
  /** All customer keys, by the ids of their constructs: `EncryptionKey`, or `OrdersTopicKey` and the like. */
  readonly encryptionKeys: ReadonlyMap<string, IKey>;
  readonly dashboard: Dashboard;
  /** All of them: one that is too long for CloudWatch goes on in another. */
  readonly dashboards: readonly Dashboard[];
  /** Who runs the handlers: by the context, else by the prop. */
  readonly consumers: Consumers;
  /** Who hears of alarms that page: given, or made for `alarmEmails`. */
  readonly alarmTopic: ITopic | undefined;
  /** Who hears of alarms that can wait. */
  readonly ticketTopic: ITopic | undefined;
  /** Every alarm by its key, for example `payments-A-lag`. */
  readonly alarms: ReadonlyMap<string, AlarmBase>;
  readonly #topics = new Map<string, MessagingTopic>();
  readonly #owners = new Map<string, TopicOwnerPolicy>();
  readonly #subscribers = new Map<string, MessagingSubscriber>();

  constructor(scope: Construct, id: string, props: MessagingStackProps<M>) {
    const said = props as AnyProps;
    checkProps(id, said, scope);
    const stage = chooseStage(scope, props.stage);
    const settings = settingsOf(stage, props);
    super(scope, id, { ...props, terminationProtection: settings.terminationProtection });
    const { messaging, ticketTopic, runbook } = props;
    this.messaging = messaging;
    rememberShare(this, said);
    this.stage = stage;
    this.consumers = chooseConsumers(this, props.consumers);
    const alarmSet = chooseAlarms(this, props.alarms);
    const held = heldBy(messaging, props);
    const keys = chooseKeys(this, {
      encryption: props.encryption,
      encryptionKey: props.encryptionKey,
      removalPolicy: settings.keyRemovalPolicy,
    });
    const alarmTopic = this.#hearAlarms(props, keys);
    if (ticketTopic !== undefined) allowAlarms(ticketTopic, this);
    this.alarmTopic = alarmTopic;
    this.ticketTopic = ticketTopic ?? alarmTopic;

    const records = new RecordsTable(this, 'Records', {
      table: props.records,
      tableName: props.recordsTableName,
      ...(props.records === undefined
        ? {
            encryptionKey: keys.records(),
            removalPolicy: settings.recordsRemovalPolicy,
            pointInTimeRecovery: settings.pointInTimeRecovery,
            deletionProtection: settings.deletionProtection,
          }
        : {}),
    });
    this.records = records.table;
    this.encryptionKey = keys.one;
    this.encryptionKeys = keys.all;
    const alarms = new Map<string, AlarmBase>();
    const keep = (made: ReadonlyMap<string, AlarmBase>) => {
      for (const [key, alarm] of made) alarms.set(key, alarm);
    };
    const watched: Topic[] = [];
    for (const definition of [...held.made, ...held.existing]) {
      const topic = this.#addTopic(definition, props, held, keys);
      if (!this.#isOursToWatch(definition.name, topic)) continue;
      watched.push(definition);
      keep(
        new Alarms(topic, 'Alarms', {
          definitions: alarmsWanted(
            topicAlarms(watchedTopic(messaging, definition)),
            alarmSet,
            this.consumers,
          ),
          physicalName: topic.physicalName,
          alarmTopic,
          ticketTopic,
          runbook,
        }).byKey,
      );
    }
    const works = worksOf(said, { held, keys, settings, consumers: this.consumers });
    // All are heard of before the first is made: their handlers are bundled together.
    for (const work of works) work.consumer.prepare(this, work);
    for (const work of works) {
      const { name, topic } = work.definition;
      const subscriber = new MessagingSubscriber(this, `${pascalCase(name)}Subscriber`, {
        ...work,
        topic: find(this.#topics, 'topic', topic),
        records,
        alarmTopic,
        ticketTopic,
        runbook,
        alarms: alarmSet,
      });
      this.#subscribers.set(name, subscriber);
      keep(subscriber.alarms);
    }
    this.alarms = alarms;
    const watch = new MessagingDashboard(this, 'Watch', {
      dashboardName: props.dashboardName ?? this.stackName,
      rows: dashboardOf(viewOf(messaging, watched, held), {
        hasFunction: (name) => find(this.#subscribers, 'subscriber', name).consumers === 'lambda',
      }),
      recordsTable: records.table.tableName,
      alarms: [...alarms.values()],
      physicalName: this.#physicalName,
    });
    this.dashboard = watch.dashboard;
    this.dashboards = watch.dashboards;
    addOutputs(this, {
      topics: this.#topics,
      subscribers: this.#subscribers.values(),
      records,
      dashboard: this.dashboard,
    });
    limitSize(this, this.#subscribers);
    checkStack(this);
    const halting = held.subscribers.filter(({ onDeadLetter }) => onDeadLetter === 'halt');
    this.node.addValidation({
      validate: () =>
        missingIndex(
          records.table,
          halting.map(({ name }) => name),
        ),
    });
  }

  /**
   * A topic by its name in the declaration: one that the stack made, or was given.
   *
   * @throws Error when no such topic is declared, or another stack has it
   * @example
   * ```ts
   * stack.topic('orders').topicArn;
   * ```
   */
  topic(name: string): ITopic {
    return this.#topic(name).topic;
  }

  /**
   * A subscriber by its name in the declaration, with everything that belongs to it.
   *
   * @throws Error when no such subscriber is declared, or another stack has it
   * @example
   * ```ts
   * stock.grantWriteData(stack.subscriber('inventory').function);
   * ```
   */
  subscriber(name: SubscriberName<M>): MessagingSubscriber {
    return find(this.#subscribers, 'subscriber', name, Object.keys(this.messaging.subscribers));
  }

  /**
   * Lets somebody publish: on the topics, and with their keys. A function of the CDK, also behind an alias, and a
   * subscriber are also told where: see
   * {@link publisherEnvironment}. The owner of a topic in another account has to agree: see {@link TopicOwnerPolicy}.
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
    for (const name of topics.length === 0 ? this.#topics.keys() : topics) {
      this.#topic(name).grantPublish(grantee);
      this.#owners.get(name)?.allowPublish();
    }
    const setVariable =
      grantee instanceof MessagingSubscriber
        ? (name: string, value: string) => grantee.consumer.addEnvironment(name, value)
        : // An alias or a version speaks for the function behind it.
          variablesOf(withoutQualifier(grantee as unknown as IFunction));
    for (const [key, value] of Object.entries(this.publisherEnvironment(...topics)))
      setVariable?.(key, value);
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

  /**
   * Lets workers do what the functions of subscribers may: see {@link MessagingSubscriber.grantWork}.
   *
   * @param grantee - the role of the workers
   * @param subscribers - names of subscribers; all of the stack's when none is given
   * @throws Error when a subscriber is not declared
   * @example
   * ```ts
   * stack.grantWork(task.taskRole, 'payments');
   * ```
   */
  grantWork(grantee: IGrantable, ...subscribers: SubscriberName<M>[]): void {
    for (const subscriber of this.#chosen(subscribers)) subscriber.grantWork(grantee);
  }

  /**
   * Lets operators look at dead letters and put them back: see {@link MessagingSubscriber.grantRedrive}.
   *
   * @param grantee - the operators' role
   * @param subscribers - names of subscribers; all of the stack's when none is given
   * @throws Error when a subscriber is not declared
   * @example
   * ```ts
   * stack.grantRedrive(operators);
   * ```
   */
  grantRedrive(grantee: IGrantable, ...subscribers: SubscriberName<M>[]): void {
    for (const subscriber of this.#chosen(subscribers)) subscriber.grantRedrive(grantee);
  }

  #hearAlarms(props: MessagingStackProps<M>, keys: Keys): ITopic | undefined {
    const { alarmTopic: topic, alarmEmails: emails } = props;
    if (topic === undefined && emails === undefined) return undefined;
    const encryptionKey = topic === undefined ? keys.one : undefined;
    return new AlarmTopic(this, 'AlarmTopic', { topic, emails, encryptionKey }).topic;
  }

  #chosen(subscribers: readonly SubscriberName<M>[]): MessagingSubscriber[] {
    return subscribers.length === 0
      ? [...this.#subscribers.values()]
      : subscribers.map((name) => this.subscriber(name));
  }

  #topic(name: string): MessagingTopic {
    return find(this.#topics, 'topic', name, Object.keys(this.messaging.topics));
  }

  #addTopic(definition: Topic, props: MessagingStackProps<M>, held: Held, keys: Keys): MessagingTopic {
    const { name } = definition;
    const existing = props.topics?.[name];
    const topic = new MessagingTopic(
      this,
      `${pascalCase(name)}Topic`,
      existing === undefined
        ? { ...topicProps(definition), encryptionKey: keys.topic(name) }
        : { topic: existing, encryptionKey: props.topicKeys?.[name] },
    );
    this.#topics.set(name, topic);
    if (existing !== undefined) {
      const queueNames = held.subscribers.flatMap((subscriber) =>
        subscriber.topic === name ? [subscriber.queueName ?? '*'] : [],
      );
      const owner = new TopicOwnerPolicy(topic, 'Owner', {
        name,
        topic: existing,
        encryptionKey: topic.encryptionKey,
        queueNames: queueNames.includes('*') ? undefined : queueNames,
      });
      this.#owners.set(name, owner);
    }
    // Who is declared and not here subscribes from another stack, maybe of another app.
    if (
      definition.subscribers.length > 0 &&
      held.subscribers.every((subscriber) => subscriber.topic !== name)
    )
      Sluice.silence(topic, 'topic-without-subscriber', 'Its declared subscribers are in other stacks.');
    return topic;
  }

  /** Another messaging stack watches the topics that it made, and another account those that it has. */
  #isOursToWatch(name: string, { topic }: MessagingTopic): boolean {
    const owner = this.#owners.get(name);
    return owner === undefined || (owner.foreign !== 'yes' && !(topic.node.scope instanceof MessagingTopic));
  }

  readonly #physicalName: PhysicalName = (target) =>
    target.kind === 'topic'
      ? find(this.#topics, 'topic', target.topic).physicalName(target)
      : find(this.#subscribers, 'subscriber', target.subscriber).physicalName(target);
}

function find<Found>(
  among: ReadonlyMap<string, Found>,
  what: string,
  name: string,
  declared: readonly string[] = [...among.keys()],
): Found {
  const found = among.get(name);
  if (found !== undefined) return found;
  const list = (all: readonly string[]) => all.map((each) => `"${each}"`).join(', ') || 'none';
  throw new ConstructError(
    declared.includes(name)
      ? `The ${what} "${name}" is not in this stack, which has ${list([...among.keys()])}. Ask the stack that holds it.`
      : `No ${what} is named "${name}"; declared are ${list(declared)}. Name one of them.`,
  );
}

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Token } from 'aws-cdk-lib';
import { type ITopic, Topic } from 'aws-cdk-lib/aws-sns';
import { type IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import type { IConstruct } from 'constructs';
import type { Subscriber } from '../topology/index.ts';
import { checkRecordsTable } from './check-records.ts';
import { checkShape } from './check-shape.ts';
import { checkShare } from './shares.ts';
import { StackError, type StackFault } from './stack-error.ts';
import type { MessagingStackProps, SubscriberOptions } from './stack-props.ts';

/** The props of a stack, whatever the types of its declaration. */
export type AnyProps = Omit<MessagingStackProps, 'only' | 'subscribers'> & {
  readonly only?: readonly string[] | undefined;
  readonly subscribers?: Readonly<Record<string, SubscriberOptions | undefined>> | undefined;
};

/** Takes one fault. */
export type Report = (property: string, found: string, allowed: string, remedy: string) => void;

/**
 * Holds the props of a stack against its declaration, and against each other.
 *
 * @throws {StackError} with every fault
 */
export function checkProps(stackId: string, props: AnyProps, scope?: IConstruct): void {
  const faults: StackFault[] = [];
  const report: Report = (property, found, allowed, remedy) =>
    faults.push({ property, found, allowed, remedy });
  if (checkShape(props, report, scope)) {
    checkNames(props, report);
    checkTopics(props, report);
    checkSubscribers(props, report);
    checkShare(scope, props, report);
  }
  checkEncryption(props, report);
  checkRecords(props, report);
  if (faults.length > 0) throw new StackError(stackId, faults);
}

const listed = (names: readonly string[]): string =>
  names.length === 0 ? 'none' : names.map((name) => `"${name}"`).join(', ');

/** Names that nobody declared would otherwise do nothing, without a word. */
function checkNames({ messaging, topics, topicKeys, only, subscribers }: AnyProps, report: Report): void {
  const topicNames = Object.keys(messaging.topics);
  const names = Object.keys(messaging.subscribers);
  for (const name of Object.keys(topics ?? {}))
    if (!topicNames.includes(name))
      report(`topics.${name}`, `"${name}"`, `the declared topics ${listed(topicNames)}`, 'Correct the name.');
  for (const name of Object.keys(topicKeys ?? {}))
    if (!Object.hasOwn(topics ?? {}, name))
      report(
        `topicKeys.${name}`,
        `"${name}"`,
        `the names in "topics": ${listed(Object.keys(topics ?? {}))}`,
        'Correct the name, or give the topic too: one that is made here has its key from "encryption".',
      );
  for (const [at, name] of (only ?? []).entries())
    if (!names.includes(name))
      report(`only[${at}]`, `"${name}"`, `the declared subscribers ${listed(names)}`, 'Correct the name.');
  for (const name of Object.keys(subscribers ?? {}))
    if (!names.includes(name))
      report(
        `subscribers.${name}`,
        `"${name}"`,
        `the declared subscribers ${listed(names)}`,
        'Correct the name.',
      );
    else if (only !== undefined && !only.includes(name))
      report(
        `subscribers.${name}`,
        `"${name}"`,
        `the subscribers of this stack, as "only" says: ${listed(only)}`,
        'Say it to the stack that holds the subscriber, or add it to "only".',
      );
}

const kindOf = (fifo: boolean): string => (fifo ? 'FIFO' : 'standard');

/** The kind of a topic or queue, where the synthesis can know it: an ARN that is a token has no ending yet. */
const knownKind = (existing: ITopic | IQueue, arn: string): boolean | undefined =>
  existing instanceof Topic || existing instanceof Queue || !Token.isUnresolved(arn)
    ? existing.fifo
    : undefined;

function checkTopics({ messaging, topics }: AnyProps, report: Report): void {
  for (const [name, topic] of Object.entries(topics ?? {})) {
    const declared = messaging.topics[name];
    const fifo = knownKind(topic, topic.topicArn);
    if (declared !== undefined && fifo !== undefined && fifo !== declared.fifo)
      report(
        `topics.${name}`,
        `a ${kindOf(fifo)} topic`,
        `a ${kindOf(declared.fifo)} topic, as declared`,
        'Give another topic, or change "fifo" of the declaration.',
      );
  }
}

function checkSubscribers(props: AnyProps, report: Report): void {
  const { messaging, handlers, only, subscribers } = props;
  const owners = new Map<string, string>();
  for (const property of ['vpcSubnets', 'securityGroups'] as const)
    if (props[property] !== undefined && props.vpc === undefined)
      report(property, 'a value', 'nothing without "vpc"', 'Name the network too.');
  for (const definition of Object.values<Subscriber>(messaging.subscribers)) {
    const { name } = definition;
    if (only !== undefined && !only.includes(name)) continue;
    const options = subscribers?.[name] ?? {};
    if (options.consumer === undefined && !existsSync(join(handlers, definition.handler)))
      report(
        `subscribers.${name}.handler`,
        join(handlers, definition.handler),
        'a file that exists',
        'Create it, or correct "handler" in the declaration or "handlers" of the stack.',
      );
    const network = (['vpc', 'vpcSubnets', 'securityGroups'] as const).filter(
      (property) => options[property] !== undefined,
    );
    for (const property of options.consumer === undefined ? [] : network)
      report(
        `subscribers.${name}.${property}`,
        'a value',
        'nothing, since "consumer" is given',
        'Say it where the consumer is made: Consumer.nodejs({ vpc }) and the like.',
      );
    for (const property of ['vpcSubnets', 'securityGroups'] as const)
      if (
        options.consumer === undefined &&
        options[property] !== undefined &&
        (options.vpc ?? props.vpc) === undefined
      )
        report(
          `subscribers.${name}.${property}`,
          'a value',
          'nothing without "vpc"',
          'Name the network too, here or for the whole stack.',
        );
    const existing = [
      ['queue', options.queue, definition.fifo],
      ['deadLetterQueue', options.deadLetterQueue, definition.deadLetterFifo],
      [
        'subscriptionDeadLetterQueue',
        options.subscriptionDeadLetterQueue,
        definition.subscriptionDeadLetterFifo,
      ],
    ] as const;
    for (const [property, queue, wanted] of existing) {
      if (queue === undefined) continue;
      const path = `subscribers.${name}.${property}`;
      const fifo = knownKind(queue, queue.queueArn);
      if (fifo !== undefined && fifo !== wanted)
        report(
          path,
          `a ${kindOf(fifo)} queue`,
          `a ${kindOf(wanted)} queue, as declared`,
          'Give another queue, or change the declaration.',
        );
      // Dead letters may share a queue; two consumers of one queue would each get a part of both.
      const other = owners.get(queue.queueArn);
      if (other !== undefined && (property === 'queue' || other.endsWith('.queue')))
        report(path, `the queue of ${other}`, 'a queue of its own', 'Give another queue, or leave it out.');
      owners.set(queue.queueArn, path);
    }
  }
}

function checkEncryption({ encryption, encryptionKey }: AnyProps, report: Report): void {
  if (encryptionKey !== undefined && encryption !== undefined && encryption !== 'customerKey')
    report(
      'encryption',
      JSON.stringify(encryption),
      '"customerKey", since "encryptionKey" is given',
      'Leave one of the two out.',
    );
  else if (encryption !== undefined && !allowedEncryption.includes(encryption))
    report('encryption', JSON.stringify(encryption), listed(allowedEncryption), 'Say one of these.');
}

const allowedEncryption: readonly string[] = ['awsManaged', 'customerKey', 'customerKeys'];

/** What the owner of an existing table decides. */
function checkRecords(props: AnyProps, report: Report): void {
  if (props.records === undefined) return;
  checkRecordsTable(props.records, report);
  for (const name of [
    'recordsTableName',
    'recordsRemovalPolicy',
    'pointInTimeRecovery',
    'deletionProtection',
  ] as const)
    if (props[name] !== undefined)
      report(
        name,
        JSON.stringify(props[name]),
        'nothing, since "records" is a table that exists',
        'Leave it out: the owner of the table decides.',
      );
}

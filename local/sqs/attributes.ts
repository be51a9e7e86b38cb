import { parsePolicy } from '../policy.ts';
import { invalidAttributeName, invalidAttributeValue, invalidValue, unknownAttribute } from './errors.ts';
import type { Queue, QueueSettings } from './queue.ts';
import { QUOTAS } from './quotas.ts';
import { checkTarget, parseRedriveAllowPolicy, parseRedrivePolicy } from './redrive.ts';

type Check = (value: string, name: string) => void;

/** One attribute that can be set. */
interface Rule {
  readonly check: Check;
  /** What GetQueueAttributes shows when nothing was set; nothing when there is no default. */
  readonly initial?: string;
  readonly fifoOnly?: boolean;
  /** An empty text takes the attribute away. */
  readonly removable?: boolean;
  /** `True` and `TRUE` are taken too, and shown as `true` (recorded on AWS). */
  readonly anyCase?: boolean;
}

const integer =
  (least: number, most: number): Check =>
  (value, name) => {
    const number = Number(value);
    if (!/^\d+$/.test(value) || number < least || number > most) {
      throw invalidAttributeValue(name, `Must be an integer from ${least} to ${most}.`);
    }
  };

const oneOf =
  (...values: readonly string[]): Check =>
  (value, name) => {
    if (!values.includes(value)) throw invalidAttributeValue(name, `Must be ${values.join(' or ')}.`);
  };

const boolean = oneOf('true', 'false');

const policy: Check = (value, name) => {
  try {
    parsePolicy(value);
  } catch (cause) {
    const error = invalidAttributeValue(name, cause instanceof Error ? cause.message : String(cause));
    error.cause = cause;
    throw error;
  }
};

// Values and limits: API reference, SetQueueAttributes.
const DOCUMENTED: Readonly<Record<string, Rule>> = {
  VisibilityTimeout: { check: integer(0, QUOTAS.visibility), initial: '30' },
  DelaySeconds: { check: integer(0, QUOTAS.delay), initial: '0' },
  MaximumMessageSize: {
    check: integer(QUOTAS.messageSize.least, QUOTAS.messageSize.most),
    initial: String(QUOTAS.messageSize.most),
  },
  MessageRetentionPeriod: {
    check: integer(QUOTAS.retention.least, QUOTAS.retention.most),
    initial: '345600',
  },
  ReceiveMessageWaitTimeSeconds: { check: integer(0, QUOTAS.longPoll), initial: '0' },
  SqsManagedSseEnabled: { check: boolean, initial: 'true', anyCase: true },
  KmsMasterKeyId: { check: () => {}, removable: true },
  KmsDataKeyReusePeriodSeconds: { check: integer(60, 86_400), initial: '300' },
  Policy: { check: policy, removable: true },
  RedrivePolicy: { check: parseRedrivePolicy, removable: true },
  RedriveAllowPolicy: { check: parseRedriveAllowPolicy, removable: true },
  FifoQueue: { check: oneOf('true'), initial: 'true', fifoOnly: true, anyCase: true },
  ContentBasedDeduplication: { check: boolean, initial: 'false', fifoOnly: true, anyCase: true },
  DeduplicationScope: { check: oneOf('queue', 'messageGroup'), initial: 'queue', fifoOnly: true },
  FifoThroughputLimit: { check: oneOf('perQueue', 'perMessageGroupId'), initial: 'perQueue', fifoOnly: true },
};

/** The same without what every object inherits: no attribute is called `constructor`. */
const RULES: typeof DOCUMENTED = Object.assign(Object.create(null), DOCUMENTED);

const COMPUTED = [
  'QueueArn',
  'ApproximateNumberOfMessages',
  'ApproximateNumberOfMessagesNotVisible',
  'ApproximateNumberOfMessagesDelayed',
  'CreatedTimestamp',
  'LastModifiedTimestamp',
] as const;

/** Attributes as the API has them, by name. */
export type AttributeInput = Readonly<Record<string, string | undefined>>;

/** Where attributes are to be set: the queue as it is, or as it will be. */
export interface AttributeTarget {
  readonly arn: string;
  readonly fifo: boolean;
  readonly attributes: ReadonlyMap<string, string>;
}

/**
 * The queue's attributes after a change. All of it is checked before anything takes effect.
 *
 * @throws ServiceError the first attribute that is unknown, not for this kind of queue, or has a wrong value
 */
export function changeAttributes(
  target: AttributeTarget,
  input: AttributeInput,
  queueByArn: (arn: string) => Queue | undefined,
): Map<string, string> {
  const next = new Map(target.attributes);
  for (const [name, given] of Object.entries(input)) {
    if (given === undefined) continue;
    const rule = RULES[name];
    if (rule === undefined) throw unknownAttribute(name);
    const value = normal(rule, given);
    if (rule.fifoOnly && !target.fifo) {
      if (name === 'DeduplicationScope' || name === 'FifoThroughputLimit') {
        throw invalidAttributeName(`You can specify the ${name} only when FifoQueue is set to true.`);
      }
      throw unknownAttribute(name);
    }
    if (name === 'FifoQueue' && value !== 'true') {
      throw invalidAttributeValue(name, 'Modifying queue type is not supported.');
    }
    if (value === '' && rule.removable) {
      next.delete(name);
      continue;
    }
    rule.check(value, name);
    if (name === 'RedrivePolicy') checkTarget(target, queueByArn(parseRedrivePolicy(value).targetArn), value);
    next.set(name, value);
  }
  if (next.get('FifoThroughputLimit') === 'perMessageGroupId') {
    if ((next.get('DeduplicationScope') ?? 'queue') !== 'messageGroup') {
      throw invalidValue(
        'perMessageGroupId',
        'FifoThroughputLimit',
        'It can be set only when DeduplicationScope is messageGroup.',
      );
    }
  }
  const keyId = input.KmsMasterKeyId;
  const managed = input.SqsManagedSseEnabled?.toLowerCase() === 'true';
  if (keyId !== undefined && keyId !== '') {
    if (managed) {
      throw invalidAttributeName(
        'You can use one type of server-side encryption (SSE) at one time. You can either enable KMS SSE or SQS SSE.',
      );
    }
    next.set('SqsManagedSseEnabled', 'false');
  } else if (managed && next.has('KmsMasterKeyId')) {
    throw invalidAttributeName(
      'You can use one type of server-side encryption (SSE) at one time. You can either enable KMS SSE or SQS SSE.',
    );
  }
  return next;
}

const normal = (rule: Rule, value: string): string => (rule.anyCase ? value.toLowerCase() : value);

/** Whether CreateQueue's attributes ask for a FIFO queue. */
export const asksForFifo = (attributes: AttributeInput): boolean =>
  attributes.FifoQueue?.toLowerCase() === 'true';

const shown = (attributes: ReadonlyMap<string, string>, name: string, fifo: boolean): string | undefined => {
  const rule = RULES[name]!;
  // Only a queue with a key of its own reuses data keys.
  if (name === 'KmsDataKeyReusePeriodSeconds' && !attributes.has('KmsMasterKeyId')) return undefined;
  return attributes.get(name) ?? (rule.fifoOnly && !fifo ? undefined : rule.initial);
};

// Policies are JSON: the same document may be written with other blanks.
function sameDocument(one: string, other: string): boolean {
  if (!one.startsWith('{') || !other.startsWith('{')) return false;
  try {
    return JSON.stringify(JSON.parse(one)) === JSON.stringify(JSON.parse(other));
  } catch {
    // What is not JSON differs; what is kept was checked when it was set.
    return false;
  }
}

/** The first attribute for which an existing queue differs from what CreateQueue asks; `undefined` when none does. */
export function firstDifference(queue: Queue, wanted: AttributeInput): string | undefined {
  for (const [name, value] of Object.entries(wanted)) {
    if (value === undefined || (value === '' && RULES[name]?.removable && !queue.attributes.has(name)))
      continue;
    const rule = RULES[name];
    if (rule === undefined) throw unknownAttribute(name);
    const present = shown(queue.attributes, name, queue.fifo);
    if (normal(rule, value) !== present && (present === undefined || !sameDocument(value, present)))
      return name;
  }
  return undefined;
}

/** What the state machine reads of the attributes. */
export function settingsOf(attributes: ReadonlyMap<string, string>, fifo: boolean): QueueSettings {
  const milliseconds = (name: string) => Number(shown(attributes, name, fifo)) * 1000;
  const redrive = attributes.get('RedrivePolicy');
  const redriveAllow = attributes.get('RedriveAllowPolicy');
  const text = attributes.get('Policy');
  return {
    visibility: milliseconds('VisibilityTimeout'),
    delay: milliseconds('DelaySeconds'),
    retention: milliseconds('MessageRetentionPeriod'),
    receiveWait: milliseconds('ReceiveMessageWaitTimeSeconds'),
    maximumMessageSize: Number(shown(attributes, 'MaximumMessageSize', fifo)),
    contentBasedDeduplication: attributes.get('ContentBasedDeduplication') === 'true',
    deduplicationPerGroup: attributes.get('DeduplicationScope') === 'messageGroup',
    redrive: redrive === undefined ? undefined : parseRedrivePolicy(redrive),
    redriveAllow: redriveAllow === undefined ? undefined : parseRedriveAllowPolicy(redriveAllow),
    policy: text === undefined ? undefined : parsePolicy(text),
    keyId: attributes.get('KmsMasterKeyId'),
  };
}

/** What GetQueueAttributes answers for these names. */
export function describeAttributes(queue: Queue, names: readonly string[]): Record<string, string> {
  const computed: Record<(typeof COMPUTED)[number], string> = {
    QueueArn: queue.arn,
    ApproximateNumberOfMessages: String(queue.visible),
    ApproximateNumberOfMessagesNotVisible: String(queue.inFlight),
    ApproximateNumberOfMessagesDelayed: String(queue.delayed),
    CreatedTimestamp: String(Math.floor(queue.createdAt / 1000)),
    LastModifiedTimestamp: String(Math.floor(queue.modifiedAt / 1000)),
  };
  const all: Record<string, string> = { ...computed };
  for (const name in RULES) {
    const value = shown(queue.attributes, name, queue.fifo);
    if (value !== undefined) all[name] = value;
  }
  for (const name of names) {
    if (name !== 'All' && RULES[name] === undefined && !Object.hasOwn(computed, name))
      throw unknownAttribute(name);
  }
  if (names.includes('All')) return all;
  return Object.fromEntries(
    names.flatMap((name) => (Object.hasOwn(all, name) ? [[name, all[name] as string] as const] : [])),
  );
}

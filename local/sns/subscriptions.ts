import type {
  ConfirmSubscriptionCommandInput,
  GetSubscriptionAttributesCommandInput,
  ListSubscriptionsByTopicCommandInput,
  ListSubscriptionsCommandInput,
  SetSubscriptionAttributesCommandInput,
  SubscribeCommandInput,
  UnsubscribeCommandInput,
} from '@aws-sdk/client-sns';
import { uuid } from '../../lib/base/index.ts';
import type { ModelContext } from '../service.ts';
import { parseArn } from './arn.ts';
import { invalidParameter, limitExceeded, notFound } from './errors.ts';
import { compileFilter, type FilterScope } from './filter/index.ts';
import { confirmationTime, type Mail, type MailProtocol, tokenOf } from './mail.ts';
import { page } from './page.ts';
import type { SnsState, Subscription, Topic } from './state.ts';
import { DEFAULT_MESSAGE_SIZE, topicOf } from './topics.ts';

// SNS features page: 100 subscriptions for each FIFO topic, and for one with messages above 256 KiB (what's new,
// 2026-09-18); other topics take 12,500,000.
const FEW_SUBSCRIPTIONS = 100;
// SNS developer guide, filter policy constraints: 200 filter policies for each topic.
const MOST_FILTERS = 200;

const SETTABLE = ['RawMessageDelivery', 'FilterPolicy', 'FilterPolicyScope', 'RedrivePolicy'];

/** The actions on subscriptions. */
export function subscriptionOperations(context: ModelContext, state: SnsState, mail: Mail) {
  /** What nobody confirmed in time is gone at the first look after it. */
  const sweep = () => {
    const now = context.clock.now();
    for (const subscription of [...state.subscriptions.values()])
      if ((subscription.pendingUntil ?? Number.POSITIVE_INFINITY) <= now) remove(subscription);
  };
  const remove = (subscription: Subscription) => {
    subscription.active = false;
    state.subscriptions.delete(subscription.arn);
    const { topic } = subscription;
    topic.subscriptions.splice(topic.subscriptions.indexOf(subscription), 1);
    topic.deletedSubscriptions++;
  };
  const subscriptionOf = (arn: string | undefined): Subscription => {
    const subscription = arn === undefined ? undefined : state.subscriptions.get(arn);
    if (subscription === undefined) throw notFound('Subscription');
    return subscription;
  };
  const summary = (subscription: Subscription) => ({
    SubscriptionArn: subscription.arn,
    Owner: context.account,
    Protocol: subscription.protocol,
    Endpoint: subscription.endpoint,
    TopicArn: subscription.topic.arn,
  });
  // A list does not tell the ARN of what nobody has confirmed.
  const listed = (subscription: Subscription) =>
    subscription.pendingUntil === undefined
      ? summary(subscription)
      : { ...summary(subscription), SubscriptionArn: 'PendingConfirmation' };

  return {
    Subscribe({
      TopicArn,
      Protocol,
      Endpoint = '',
      Attributes: given = {},
      ReturnSubscriptionArn,
    }: SubscribeCommandInput) {
      sweep();
      const topic = topicOf(state, TopicArn);
      const protocol = protocolOf(Protocol);
      const { fifoQueue } = checkEndpoint(protocol, Endpoint, topic);
      const answer = ({ arn, pendingUntil }: Subscription) => ({
        SubscriptionArn:
          pendingUntil === undefined || ReturnSubscriptionArn === true ? arn : 'pending confirmation',
      });
      const existing = topic.subscriptions.find(
        (one) => one.endpoint === Endpoint && one.protocol === protocol,
      );
      if (existing !== undefined) {
        if (Object.entries(given).some(([name, value]) => existing.attributes.get(name) !== value))
          throw invalidParameter('Attributes Reason: Subscription already exists with different attributes');
        if (existing.pendingUntil !== undefined) mail.askFor(existing, tokenOf(existing.arn));
        return answer(existing);
      }
      const few = topic.fifo || topic.maximumMessageSize > DEFAULT_MESSAGE_SIZE;
      if (few && topic.subscriptions.length >= FEW_SUBSCRIPTIONS)
        throw limitExceeded(
          'SubscriptionLimitExceededException',
          `A FIFO topic, and a topic with messages above ${DEFAULT_MESSAGE_SIZE} bytes, takes ${FEW_SUBSCRIPTIONS} subscriptions`,
        );
      const subscription: Subscription = {
        arn: `${topic.arn}:${uuid(context.random)}`,
        topic,
        protocol,
        endpoint: Endpoint,
        fifoQueue,
        pendingUntil: protocol === 'sqs' ? undefined : context.clock.now() + confirmationTime,
        attributes: new Map(),
        raw: false,
        filter: undefined,
        filterScope: 'MessageAttributes',
        deadLetterArn: undefined,
        active: true,
        held: new Map(),
        waiting: 0,
      };
      applyAttributes(subscription, given);
      topic.subscriptions.push(subscription);
      state.subscriptions.set(subscription.arn, subscription);
      if (subscription.pendingUntil !== undefined) mail.askFor(subscription, tokenOf(subscription.arn));
      return answer(subscription);
    },

    ConfirmSubscription({ TopicArn, Token = '' }: ConfirmSubscriptionCommandInput) {
      sweep();
      const found = topicOf(state, TopicArn).subscriptions.find(({ arn }) => tokenOf(arn) === Token);
      if (found === undefined) throw invalidParameter('Token');
      found.pendingUntil = undefined;
      return { SubscriptionArn: found.arn };
    },

    Unsubscribe({ SubscriptionArn: arn }: UnsubscribeCommandInput) {
      sweep();
      const subscription = arn === undefined ? undefined : state.subscriptions.get(arn);
      if (subscription === undefined) return {};
      // As on AWS: it goes by itself after its time, or with its topic.
      if (subscription.pendingUntil !== undefined)
        throw invalidParameter('Cannot unsubscribe a subscription that is pending confirmation');
      remove(subscription);
      return {};
    },

    GetSubscriptionAttributes({ SubscriptionArn: arn }: GetSubscriptionAttributesCommandInput) {
      sweep();
      const subscription = subscriptionOf(arn);
      const { FilterPolicyScope: _, ...rest } = Object.fromEntries(subscription.attributes);
      return {
        Attributes: {
          ...summary(subscription),
          PendingConfirmation: String(subscription.pendingUntil !== undefined),
          ConfirmationWasAuthenticated: String(subscription.protocol === 'sqs'),
          SubscriptionPrincipal: `arn:aws:iam::${context.account}:root`,
          RawMessageDelivery: 'false',
          ...(subscription.attributes.has('FilterPolicy')
            ? { FilterPolicyScope: subscription.filterScope }
            : {}),
          ...rest,
        },
      };
    },

    SetSubscriptionAttributes({
      SubscriptionArn,
      AttributeName: name,
      AttributeValue: value,
    }: SetSubscriptionAttributesCommandInput) {
      const subscription = subscriptionOf(SubscriptionArn);
      if (name === undefined) throw invalidParameter('AttributeName Reason: no value for required parameter');
      applyAttributes(subscription, { [name]: value ?? '' });
      return {};
    },

    ListSubscriptions({ NextToken: token }: ListSubscriptionsCommandInput) {
      sweep();
      const { items, next } = page([...state.subscriptions.values()], token);
      return { Subscriptions: items.map(listed), ...next };
    },

    ListSubscriptionsByTopic({ TopicArn, NextToken: token }: ListSubscriptionsByTopicCommandInput) {
      sweep();
      const { items, next } = page(topicOf(state, TopicArn).subscriptions, token);
      return { Subscriptions: items.map(listed), ...next };
    },
  };
}

function protocolOf(protocol: string | undefined): 'sqs' | MailProtocol {
  if (protocol === 'sqs' || protocol === 'email' || protocol === 'email-json') return protocol;
  throw invalidParameter(
    `Protocol Reason: the local model knows 'sqs', 'email' and 'email-json'; found '${protocol}'. Subscribe a queue, or leave this subscription out of the local run`,
  );
}

function checkEndpoint(protocol: 'sqs' | MailProtocol, endpoint: string, topic: Topic) {
  if (protocol !== 'sqs') {
    if (topic.fifo) throw invalidParameter('Endpoint Reason: FIFO topics deliver to SQS queues only');
    if (!/^[^@\s]+@[^@\s]+$/.test(endpoint)) throw invalidParameter('Email address');
    return { fifoQueue: false };
  }
  const queue = parseArn(endpoint);
  if (queue?.service !== 'sqs') throw invalidParameter(`SQS endpoint ARN; found '${endpoint}'`);
  const fifoQueue = queue.resource.endsWith('.fifo');
  if (fifoQueue && !topic.fifo)
    throw invalidParameter('Endpoint Reason: FIFO SQS Queues can not be subscribed to standard SNS topics');
  return { fifoQueue };
}

/** Checks all attributes before any is set; an empty text takes one away. */
function applyAttributes(subscription: Subscription, given: Readonly<Record<string, string>>): void {
  const next = new Map(subscription.attributes);
  for (const [name, value] of Object.entries(given)) {
    if (!SETTABLE.includes(name))
      throw invalidParameter(
        `AttributeName: the local model knows ${SETTABLE.join(', ')} on an SQS subscription; found '${name}'`,
      );
    if (value === '') next.delete(name);
    else next.set(name, value);
  }
  const raw = next.get('RawMessageDelivery')?.toLowerCase() ?? 'false';
  if (raw !== 'true' && raw !== 'false')
    throw invalidParameter(`Attributes Reason: RawMessageDelivery takes true or false; found '${raw}'`);
  if (raw === 'true' && subscription.protocol !== 'sqs')
    throw invalidParameter(
      `Attributes Reason: Delivery protocol [${subscription.protocol}] does not support raw message delivery.`,
    );
  const scope = filterScopeOf(next.get('FilterPolicyScope') ?? 'MessageAttributes');
  const policy = next.get('FilterPolicy');
  const filter = policy === undefined ? undefined : compileFilter(policy, scope);
  if (filter !== undefined && subscription.filter === undefined) checkFilterCount(subscription);
  const redrive = next.get('RedrivePolicy');
  subscription.deadLetterArn = redrive === undefined ? undefined : deadLetterOf(redrive, subscription);
  subscription.raw = raw === 'true';
  subscription.filter = filter;
  subscription.filterScope = scope;
  subscription.attributes.clear();
  for (const [name, value] of next) subscription.attributes.set(name, value);
}

function filterScopeOf(scope: string): FilterScope {
  if (scope !== 'MessageAttributes' && scope !== 'MessageBody')
    throw invalidParameter(
      `FilterPolicyScope: Invalid value [${scope}]. Please use either MessageBody or MessageAttributes`,
    );
  return scope;
}

function checkFilterCount({ topic }: Subscription): void {
  if (topic.subscriptions.filter((one) => one.filter !== undefined).length >= MOST_FILTERS)
    throw limitExceeded(
      'FilterPolicyLimitExceededException',
      `A topic takes ${MOST_FILTERS} filter policies`,
    );
}

function deadLetterOf(text: string, { topic }: Subscription): string {
  let arn: unknown;
  try {
    arn = (JSON.parse(text) as { deadLetterTargetArn?: unknown } | null)?.deadLetterTargetArn;
  } catch (error) {
    throw invalidParameter(`RedrivePolicy: failed to parse JSON. ${(error as Error).message}`);
  }
  const queue = typeof arn === 'string' ? parseArn(arn) : undefined;
  const home = parseArn(topic.arn)!;
  if (queue?.service !== 'sqs' || queue.region !== home.region || queue.account !== home.account)
    throw invalidParameter(
      `RedrivePolicy: deadLetterTargetArn must be the ARN of an SQS queue in the topic's account and Region; found ${JSON.stringify(arn)}`,
    );
  if (queue.resource.endsWith('.fifo') && !topic.fifo)
    throw invalidParameter(
      'RedrivePolicy: a FIFO queue cannot be the dead-letter queue of a subscription to a standard topic',
    );
  return arn as string;
}

import {
  PublishBatchCommand,
  type PublishBatchCommandOutput,
  PublishCommand,
  type PublishCommandOutput,
} from '@aws-sdk/client-sns';
import { type Clock, type Random, sleep, systemClock, systemRandom, uuid } from '../../lib/base/index.ts';
import {
  type EventDefinition,
  type EventInput,
  type EventName,
  type Messaging,
  typeAttribute,
} from '../../lib/topology/index.ts';
import { callPause } from './backoff.ts';
import {
  type Collected,
  collect,
  failAborted,
  failOvertaking,
  type PublishBatchResult,
  type Published,
  published,
} from './batch-result.ts';
import { callsOf, defaultByteLimit, messageBytes, mostBytes, queuesOf } from './batches.ts';
import type { AwsClient } from './client.ts';
import { createSnsClient } from './clients/sns.ts';
import { checkData, type Envelope, type EnvelopeOptions, isMoment, makeEnvelope } from './envelope.ts';
import { asError, ConfigurationError, PublishRefused } from './errors.ts';
import { createGate, createLines, mapBounded } from './parallel.ts';
import { type Environment, topicArn } from './settings.ts';

/**
 * What can be handed to {@link publisher}; everything has a default.
 *
 * @example
 * ```ts
 * const options: PublisherOptions = { sns: new SNSClient({ region: 'eu-west-1' }), byteLimit: 1_048_576 };
 * const events = publisher(shop, options);
 * ```
 */
export interface PublisherOptions {
  /** @default - a client from the environment, made once */
  readonly sns?: AwsClient | undefined;
  /** @default - the machine's clock */
  readonly clock?: Clock | undefined;
  /** @default - the machine's randomness */
  readonly random?: Random | undefined;
  /** @default process.env */
  readonly environment?: Environment | undefined;
  /**
   * Bytes of a message with its attributes, and of a batch. A topic with a raised MaximumMessageSize takes up
   * to 1,048,576 (SNS quotas).
   *
   * @default 262,144
   */
  readonly byteLimit?: number | undefined;
}

/**
 * What names, orders and limits one event; what is left out follows from the declaration.
 *
 * @example
 * ```ts
 * const options: PublishOptions = { id: `placed-${orderId}`, expiry: '2026-12-31T23:59:59Z' };
 * await events.publish('order.placed', order, options);
 * ```
 */
export interface PublishOptions {
  /** @default - `type:key(data)` when the event declares a key, else a random UUID */
  readonly id?: string;
  /** @default - `sluice/` and the name of the stack */
  readonly source?: string;
  /**
   * When it happened, RFC 3339.
   *
   * @default - now
   */
  readonly time?: string;
  /** @default - `group(data)` when the event declares it, else the id */
  readonly group?: string;
  /**
   * Position among the events of its group: a string that sorts. To a subscriber's guard of sequences, decimal
   * integers compare as numbers.
   */
  readonly sequence?: string;
  /** RFC 3339; later than that, consumers acknowledge the event unseen. */
  readonly expiry?: string;
  /** W3C Trace Context, passed on to the consumers. Inside a handler: `event.traceparent`. */
  readonly traceparent?: string;
  /** Stops what has not been sent, and further tries. */
  readonly signal?: AbortSignal;
}

/**
 * One event of a batch.
 *
 * @example
 * ```ts
 * const entry: PublishEntry<typeof shop> = { type: 'order.placed', data: order, traceparent };
 * await events.publishBatch([entry]);
 * ```
 */
export type PublishEntry<M extends Messaging, Name extends EventName<M> = EventName<M>> = {
  readonly [N in Name]: PublishOptions & { readonly type: N; readonly data: EventInput<M, N> };
}[Name];

/**
 * Publishes the events of a stack.
 *
 * @example
 * ```ts
 * const events: Publisher<typeof shop> = publisher(shop);
 * await events.publish('order.placed', order);
 * ```
 */
export interface Publisher<M extends Messaging> {
  /**
   * Publishes one event. On a FIFO topic, events of one group that go through one publisher are sent one after
   * another in the order of the calls, awaited or not; one that fails does not stop the next. A batch, and another
   * publisher, do not wait for them: await what must come first.
   *
   * @throws {PublishRefused} the data break the schema, or the message is too large
   * @throws {ConfigurationError} the topic's variable is missing
   * @throws the client's error after its tries; the event may have been taken, and may be published again: under
   *   the same id its effects happen once
   * @example
   * ```ts
   * await events.publish('order.placed', { orderId: '7', customerId: '12', amount: 3 });
   * ```
   */
  publish<Name extends EventName<M>>(
    type: Name,
    data: EventInput<M, Name>,
    options?: PublishOptions,
  ): Promise<Published>;
  /**
   * Publishes many events, in calls of ten and of the byte limit; what fails in part is tried again. On a FIFO
   * topic a call has one event of each group, and an event waits for the earlier ones of its group: no failure
   * can reorder them.
   *
   * @throws {ConfigurationError} a topic's variable is missing; nothing was sent
   * @example
   * ```ts
   * const { failed } = await events.publishBatch(rows.map((data) => ({ type: 'order.placed', data })));
   * ```
   */
  publishBatch(entries: readonly PublishEntry<M>[]): Promise<PublishBatchResult>;
}

interface Prepared {
  readonly index: number;
  readonly id: string;
  readonly topic: string;
  readonly body: string;
  readonly attributes: Record<string, { DataType: string; StringValue: string }>;
  readonly groupId: string;
  readonly fifoFields: { MessageGroupId?: string; MessageDeduplicationId?: string };
  readonly bytes: number;
  readonly signal: AbortSignal | undefined;
  tries: number;
}

/** Tries of one entry of a batch, those of the SDK inside a call apart. */
const mostTries = 4;
const callsAtOnce = 4;
/**
 * Single publishes under way at once. The SDK counts the wait for a free one of its 50 connections as time to
 * connect, and gives up after a second: a burst would fail as a whole where it only has to wait its turn.
 */
const publishesAtOnce = 40;

/**
 * Makes a publisher for the events of a stack. Make it once, outside of the handler: it holds the client.
 *
 * @example
 * ```ts
 * const events = publisher(shop);
 * await events.publish('order.placed', order, { traceparent: request.headers.traceparent });
 * ```
 */
export function publisher<M extends Messaging>(messaging: M, options: PublisherOptions = {}): Publisher<M> {
  const clock = options.clock ?? systemClock;
  const random = options.random ?? systemRandom;
  const environment = options.environment ?? process.env;
  const byteLimit = legalByteLimit(options.byteLimit);
  const client = options.sns ?? createSnsClient();
  const gate = createGate(publishesAtOnce);
  const topics = createLines();
  const groups = createLines();
  const defaults = { source: `sluice/${messaging.name}`, now: () => clock.now(), newId: () => uuid(random) };

  /** At once, unless the schema takes its time. */
  function prepare(
    index: number,
    type: string,
    data: unknown,
    publish: PublishOptions,
  ): Prepared | Promise<Prepared> {
    const definition = Object.hasOwn(messaging.events, type) ? messaging.events[type] : undefined;
    if (definition === undefined)
      throw new PublishRefused(
        `There is no event "${type}"; declared are ${Object.keys(messaging.events).join(', ')}.`,
      );
    const finish = (output: unknown) => finishEntry(index, type, definition, data, output, publish);
    let output: unknown;
    try {
      output = checkData(definition.schema, type, data);
    } catch (thrown) {
      return refuse(thrown);
    }
    return output instanceof Promise ? output.catch(refuse).then(finish) : finish(output);
  }

  function finishEntry(
    index: number,
    type: string,
    definition: EventDefinition,
    data: unknown,
    output: unknown,
    publish: PublishOptions,
  ): Prepared {
    const options = legal(publish);
    let envelope: Envelope;
    try {
      envelope = makeEnvelope(type, definition, { input: data, output }, options, defaults);
    } catch (thrown) {
      // The declaration's `key` or `group` threw, or the data are no JSON: cyclic, or with a bigint.
      return refuse(thrown);
    }
    const attributes: Prepared['attributes'] = { [typeAttribute]: { DataType: 'String', StringValue: type } };
    if (publish.traceparent)
      attributes.traceparent = { DataType: 'String', StringValue: publish.traceparent };
    const bytes = messageBytes({ body: envelope.body, attributes });
    if (bytes > byteLimit)
      throw new PublishRefused(
        `The event "${type}" has ${bytes} bytes with its attributes; allowed are ${byteLimit}. ` +
          'Publish a reference to the data instead, or raise the topic’s MaximumMessageSize and `byteLimit`.',
      );
    return {
      index,
      id: envelope.event.id,
      topic: definition.topic,
      body: envelope.body,
      attributes,
      groupId: envelope.groupId,
      fifoFields: messaging.topics[definition.topic]?.fifo
        ? { MessageGroupId: envelope.groupId, MessageDeduplicationId: envelope.deduplicationId }
        : {},
      bytes,
      signal: publish.signal,
      tries: 0,
    };
  }

  /** Sends one event: on a FIFO topic behind the one of its group that is under way, at once if there is none. */
  function send(entry: Prepared): Promise<Published> {
    const { signal } = entry;
    const command = new PublishCommand({
      TopicArn: topicArn(environment, entry.topic),
      Message: entry.body,
      MessageAttributes: entry.attributes,
      ...entry.fifoFields,
    });
    const call = async () => {
      const output = (await gate(async () => {
        signal?.throwIfAborted();
        return signal === undefined ? client.send(command) : client.send(command, { abortSignal: signal });
      })) as PublishCommandOutput;
      return published(entry.id, output.MessageId, output.SequenceNumber);
    };
    if (entry.fifoFields.MessageGroupId === undefined) return call();
    return groups.run(`${entry.topic} ${entry.groupId}`, call);
  }

  async function publishTopic(topic: string, entries: Prepared[], result: Collected) {
    const arn = topicArn(environment, topic);
    if (!messaging.topics[topic]?.fifo) {
      await mapBounded(callsOf(entries, byteLimit), callsAtOnce, async (call) => {
        let open = call;
        while (open.length > 0) open = await publishCall(arn, open, result);
      });
      return;
    }
    const queues = queuesOf(entries, byteLimit);
    for (let call = queues.take(); call.length > 0; call = queues.take()) {
      const again = new Set(await publishCall(arn, call, result));
      for (const entry of call)
        if (again.has(entry)) queues.putBack(entry);
        else if (!result.failedAt.has(entry.index)) queues.goOn(entry);
        else
          for (const later of queues.end(entry))
            if (!failAborted(later, result)) failOvertaking(later, result);
    }
  }

  /** One call; resolves with the entries that are to be sent again, after a pause. */
  async function publishCall(
    arn: string,
    wanted: readonly Prepared[],
    result: Collected,
  ): Promise<Prepared[]> {
    const call = wanted.filter((entry) => !failAborted(entry, result));
    if (call.length === 0) return [];
    const command = new PublishBatchCommand({
      TopicArn: arn,
      PublishBatchRequestEntries: call.map((entry, position) => ({
        Id: String(position),
        Message: entry.body,
        MessageAttributes: entry.attributes,
        ...entry.fifoFields,
      })),
    });
    // A call is one's own to break off only when nobody else is in it.
    const signal = call[0]!.signal;
    const shared = signal !== undefined && call.every((entry) => entry.signal === signal);
    let output: PublishBatchCommandOutput;
    try {
      output = (await (shared
        ? client.send(command, { abortSignal: signal })
        : client.send(command))) as PublishBatchCommandOutput;
    } catch (thrown) {
      const error = asError(thrown);
      const senderFault = (error as { $fault?: unknown }).$fault === 'client' && !passing.test(error.name);
      for (const entry of call) result.fail(entry, error.name, error.message, senderFault);
      return [];
    }
    const again: Prepared[] = [];
    const answered = new Set<number>();
    /** The entry that an answer names; each has one answer, whatever comes. */
    const entryOf = (id: string | undefined) => {
      const entry = call.find((_, position) => String(position) === id);
      if (entry === undefined || answered.has(entry.index)) return undefined;
      answered.add(entry.index);
      return entry;
    };
    for (const success of output.Successful ?? []) {
      const entry = entryOf(success.Id);
      if (entry === undefined) continue;
      result.succeed(entry, success.MessageId, success.SequenceNumber);
    }
    for (const failure of output.Failed ?? []) {
      const entry = entryOf(failure.Id);
      if (entry === undefined) continue;
      entry.tries++;
      const final = failure.SenderFault === true && !passing.test(failure.Code ?? '');
      if (final || entry.tries >= mostTries || entry.signal?.aborted)
        result.fail(entry, failure.Code ?? 'Unknown', failure.Message ?? 'SNS gave no message.', final);
      else again.push(entry);
    }
    for (const entry of call)
      if (!answered.has(entry.index))
        result.fail(entry, 'NoAnswer', 'SNS named the entry neither as taken nor as failed.', false);
    if (again.length > 0)
      await sleep(clock, callPause(Math.max(...again.map((entry) => entry.tries)), random));
    return again;
  }

  return {
    async publish(type, data, publish = {}) {
      const entry = prepare(0, type, data, publish);
      const { topic } = messaging.events[type]!;
      if (!messaging.topics[topic]?.fifo || (topics.idle(topic) && !(entry instanceof Promise)))
        return send(entry instanceof Promise ? await entry : entry);
      // Refused before its turn comes, it is still heard then.
      if (entry instanceof Promise) entry.catch(() => undefined);
      // The group is known when the schema has looked: until then, later ones of the topic wait behind it.
      const { sent } = await topics.run(topic, async () => ({ sent: send(await entry) }));
      return sent;
    },

    async publishBatch(entries) {
      const result = collect();
      const queues = new Map<string, Prepared[]>();
      const prepared = await Promise.allSettled(
        entries.map(async (entry, index) => prepare(index, entry.type, entry.data, entry)),
      );
      for (const [index, outcome] of prepared.entries()) {
        const entry = entries[index]!;
        if (outcome.status === 'rejected') {
          const error = asError(outcome.reason);
          if (!(error instanceof PublishRefused)) throw error;
          result.fail({ index, id: entry.id ?? '' }, error.name, error.message, true);
          continue;
        }
        topicArn(environment, outcome.value.topic);
        const queue = queues.get(outcome.value.topic);
        if (queue === undefined) queues.set(outcome.value.topic, [outcome.value]);
        else queue.push(outcome.value);
      }
      for (const [topic, queue] of queues) await publishTopic(topic, queue, result);
      return result.sorted();
    },
  };
}

function refuse(thrown: unknown): never {
  const error = asError(thrown);
  throw new PublishRefused(error.message, { cause: error });
}

/** Codes after which the same entry may succeed, whoever is said to be at fault. */
const passing = /Throttl|InternalError|InternalFailure|ServiceUnavailable/;

function legalByteLimit(wanted = defaultByteLimit): number {
  if (Number.isInteger(wanted) && wanted >= 1 && wanted <= mostBytes) return wanted;
  throw new ConfigurationError(
    `byteLimit is ${wanted}; allowed are 1 to ${mostBytes}, and what the topic's MaximumMessageSize says. ` +
      'Leave it out for a topic that does not set it.',
  );
}

/** The options that go into the envelope, checked: a consumer would dead-letter what does not parse. */
function legal(options: PublishOptions): EnvelopeOptions {
  for (const name of ['time', 'expiry'] as const)
    if (options[name] !== undefined && !isMoment(options[name]))
      throw new PublishRefused(
        `${name} is "${options[name]}"; allowed is a moment in RFC 3339, for example 2026-01-31T09:30:00Z.`,
      );
  for (const name of ['id', 'source', 'group', 'sequence', 'traceparent'] as const)
    if (options[name] !== undefined && typeof options[name] !== 'string')
      throw new PublishRefused(`${name} is of type ${typeof options[name]}; allowed is a string.`);
  for (const name of ['id', 'source', 'group', 'sequence'] as const)
    if (options[name] === '')
      throw new PublishRefused(`${name} is empty; leave it out, or give it at least one character.`);
  return options;
}

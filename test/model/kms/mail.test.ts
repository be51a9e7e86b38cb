import { describe, expect, it } from 'vitest';
import { days, milliseconds, toMilliseconds } from '../../../lib/base/index.ts';
import { inWorld, topicArn, type World } from './support.ts';

const TopicArn = topicArn('alarms');
const mailbox = { TopicArn, Protocol: 'email', Endpoint: 'operator@example.org' };

const list = async ({ call }: World) =>
  (await call<{ Subscriptions: object[] }>('sns', 'ListSubscriptionsByTopic', { TopicArn })).Subscriptions;

/** A topic with a mailbox; its subscription's ARN and the token that went to it. */
async function subscribed(world: World, more: object = {}) {
  await world.topic('alarms');
  const { SubscriptionArn } = await world.call<{ SubscriptionArn: string }>('sns', 'Subscribe', {
    ...mailbox,
    ReturnSubscriptionArn: true,
    ...more,
  });
  return { SubscriptionArn, token: world.letters.at(-1)?.token };
}

describe('A mailbox that is subscribed to a topic', () => {
  it('waits for its confirmation, and gets nothing before', () =>
    inWorld(async (world) => {
      await world.topic('alarms');
      expect(await world.call('sns', 'Subscribe', mailbox)).toEqual({
        SubscriptionArn: 'pending confirmation',
      });
      await world.call('sns', 'Publish', { TopicArn, Message: 'early' });
      expect(world.letters).toEqual([
        {
          to: 'operator@example.org',
          subject: 'AWS Notification - Subscription Confirmation',
          text: expect.stringContaining(TopicArn),
          topicArn: TopicArn,
          subscriptionArn: expect.stringMatching(/^arn:aws:sns:.*:alarms:/),
          token: expect.stringMatching(/^[0-9a-f]{64,}$/),
        },
      ]);
      expect(await list(world)).toEqual([
        {
          ...mailbox,
          SubscriptionArn: 'PendingConfirmation',
          Owner: '000000000000',
        },
      ]);
      const { Attributes } = await world.call('sns', 'GetTopicAttributes', { TopicArn });
      expect(Attributes).toMatchObject({ SubscriptionsPending: '1', SubscriptionsConfirmed: '0' });
    }));

  it('is confirmed by the token of its letter, and then told what is published', () =>
    inWorld(async (world) => {
      const { SubscriptionArn, token } = await subscribed(world);
      await expect(
        world.call('sns', 'ConfirmSubscription', { TopicArn, Token: 'guess' }),
      ).rejects.toMatchObject({ name: 'InvalidParameterException', message: 'Invalid parameter: Token' });
      expect(await world.call('sns', 'ConfirmSubscription', { TopicArn, Token: token })).toEqual({
        SubscriptionArn,
      });
      await world.call('sns', 'Publish', { TopicArn, Subject: 'ALARM: late', Message: 'text' });
      expect(world.letters.at(-1)).toMatchObject({
        to: 'operator@example.org',
        subject: 'ALARM: late',
        text: 'text',
      });
      expect(await list(world)).toMatchObject([{ SubscriptionArn }]);
      const { Attributes } = await world.call('sns', 'GetSubscriptionAttributes', { SubscriptionArn });
      expect(Attributes).toMatchObject({ PendingConfirmation: 'false', Protocol: 'email' });
    }));

  it('gets the text for its protocol, or a document', () =>
    inWorld(async (world) => {
      const { token } = await subscribed(world, { Protocol: 'email-json' });
      await world.call('sns', 'ConfirmSubscription', { TopicArn, Token: token });
      const Message = JSON.stringify({ default: 'for all', 'email-json': 'for machines' });
      await world.call('sns', 'Publish', { TopicArn, Message, MessageStructure: 'json' });
      expect(JSON.parse(world.letters.at(-1)!.text)).toMatchObject({
        Type: 'Notification',
        Message: 'for machines',
      });
    }));

  it('cannot be unsubscribed while it waits, and is forgotten after two days', () =>
    inWorld(async (world) => {
      const { SubscriptionArn, token } = await subscribed(world);
      await expect(world.call('sns', 'Unsubscribe', { SubscriptionArn })).rejects.toThrow(
        /Cannot unsubscribe a subscription that is pending confirmation/,
      );
      await world.clock.advance(milliseconds(toMilliseconds(days(2)) - 1));
      expect(await list(world)).toHaveLength(1);
      await world.clock.advance(milliseconds(1));
      expect(await list(world)).toEqual([]);
      await expect(world.call('sns', 'ConfirmSubscription', { TopicArn, Token: token })).rejects.toThrow(
        /Token/,
      );
    }));

  it('is unsubscribed like others once it is confirmed, and asked again when it is subscribed again before', () =>
    inWorld(async (world) => {
      const { SubscriptionArn, token } = await subscribed(world);
      await world.call('sns', 'Subscribe', mailbox);
      expect(world.letters.map((letter) => letter.token)).toEqual([token, token]);
      await world.call('sns', 'ConfirmSubscription', { TopicArn, Token: token });
      await world.call('sns', 'Unsubscribe', { SubscriptionArn });
      expect(await list(world)).toEqual([]);
    }));

  it('has to be an address, takes no raw delivery, and no FIFO topic', () =>
    inWorld(async (world) => {
      await world.topic('alarms');
      const refused = (input: object, message: RegExp) =>
        expect(world.call('sns', 'Subscribe', { ...mailbox, ...input })).rejects.toThrow(message);
      await refused({ Endpoint: 'nobody' }, /Email address/);
      await refused(
        { Attributes: { RawMessageDelivery: 'true' } },
        /\[email\] does not support raw message delivery/,
      );
      await world.topic('events.fifo', { FifoTopic: 'true' });
      await refused({ TopicArn: topicArn('events.fifo') }, /FIFO topics deliver to SQS queues only/);
    }));

  it('counts for its filter as a queue does', () =>
    inWorld(async (world) => {
      const { token } = await subscribed(world, { Attributes: { FilterPolicy: '{"kind":["page"]}' } });
      await world.call('sns', 'ConfirmSubscription', { TopicArn, Token: token });
      const publish = (kind: string) =>
        world.call('sns', 'Publish', {
          ...{
            TopicArn,
            Message: kind,
            MessageAttributes: { kind: { DataType: 'String', StringValue: kind } },
          },
        });
      await publish('ticket');
      await publish('page');
      expect(world.letters.map(({ text }) => text).slice(1)).toEqual(['page']);
    }));
});

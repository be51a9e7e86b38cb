import { describe, expect, it } from 'vitest';
import { refusedBy, stacks } from './support/stacks.ts';

interface Policy {
  readonly Statement: readonly {
    readonly Action: string | readonly string[];
    readonly Principal?: { readonly Service?: string };
    readonly Condition?: { readonly ArnEquals?: { readonly 'aws:SourceArn'?: unknown } };
  }[];
}

describe('26: what SNS cannot deliver lies in a dead-letter queue of the subscription, and is told', () => {
  it('every subscription has one that lets its topic send', () => {
    for (const { of, id } of stacks()) {
      const subscriptions = of('AWS::SNS::Subscription');
      expect(subscriptions).not.toEqual([]);
      for (const [, { TopicArn, RedrivePolicy }] of subscriptions) {
        const queue = id((RedrivePolicy as { deadLetterTargetArn: unknown }).deadLetterTargetArn);
        const statements = of('AWS::SQS::QueuePolicy')
          .filter(([, { Queues }]) => (Queues as readonly unknown[]).some((each) => id(each) === queue))
          .flatMap(([, { PolicyDocument }]) => (PolicyDocument as Policy).Statement);
        const topics = statements
          .filter(({ Action }) => Action === 'sqs:SendMessage')
          .map(({ Condition }) => id(Condition?.ArnEquals?.['aws:SourceArn']));
        expect(topics).toContain(id(TopicArn));
      }
    }
  });

  it('under a customer key SNS may use the key', () => {
    const [, { of }] = stacks({ encryption: 'customerKey' }) as [unknown, ReturnType<typeof stacks>[number]];
    const keys = of('AWS::KMS::Key');
    expect(keys).toHaveLength(1);
    const statements = (keys[0]![1].KeyPolicy as Policy).Statement;
    const ofSns = statements.filter(({ Principal }) => Principal?.Service === 'sns.amazonaws.com');
    expect(ofSns.flatMap(({ Action }) => Action)).toEqual(
      expect.arrayContaining(['kms:Decrypt', 'kms:GenerateDataKey*']),
    );
  });

  it('two alarms watch each topic: on what failed, and on what could not even be dead-lettered', () => {
    for (const { of } of stacks()) {
      const alarms = JSON.stringify(of('AWS::CloudWatch::Alarm'));
      expect(alarms).toContain('"NumberOfNotificationsFailed"');
      expect(alarms).toContain('"NumberOfNotificationsFailedToRedriveToDlq"');
    }
  });

  it('and what lacks a part of it is refused', async () => {
    const rules = [
      'subscription-dead-letter-missing',
      'subscription-dead-letter-kind',
      'subscription-dead-letter-policy',
      'subscription-dead-letter-key',
      'delivery-policy',
      'delivery-key',
    ] as const;
    expect(await refusedBy(...rules)).toEqual(rules.map((rule) => [rule]));
  });
});

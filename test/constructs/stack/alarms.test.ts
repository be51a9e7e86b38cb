import { App, Stack } from 'aws-cdk-lib';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { MessagingStack } from 'sluice/cdk';
import { describe, expect, it, test } from 'vitest';
import { handlers, shop, shopStack } from '../fixtures/shop.ts';
import { cycleOf, type Found, idsOf, resourcesOf, statementsOf, the } from './templates.ts';

/** Where alarms of a kind are announced. */
const announcedBy = (resources: readonly Found[], name: string): unknown =>
  (the(resources, name).Properties?.AlarmActions as unknown[] | undefined)?.[0];

const page = 'PaymentsSubscriberAlarmsALag';
const ticket = 'PaymentsSubscriberAlarmsJRedelivery';

describe('A stack tells its alarms to whom it is told to', () => {
  test('nobody, when nobody is named', () => {
    const { stack } = shopStack();
    expect(stack.alarmTopic).toBeUndefined();
    expect(announcedBy(resourcesOf(stack), page)).toBeUndefined();
  });

  test('e-mail addresses: by a topic that is made for them, on which CloudWatch can publish', () => {
    const { stack } = shopStack({ alarmEmails: ['on-call@example.com'] });
    const resources = resourcesOf(stack);
    const { id } = the(resources, 'AlarmTopic');
    expect(announcedBy(resources, page)).toEqual({ Ref: id });
    expect(announcedBy(resources, ticket)).toEqual({ Ref: id });
    expect(idsOf(resources, 'AWS::KMS::Key')).toEqual(['AlarmTopicKey']);
    const emails = resources.filter(({ Properties }) => Properties?.Protocol === 'email');
    expect(emails.map(({ Properties }) => Properties?.Endpoint)).toEqual(['on-call@example.com']);
  });

  test.each(['customerKey', 'customerKeys'] as const)(
    'with encryption %s: CloudWatch may use its key',
    (encryption) => {
      const { stack } = shopStack({ alarmEmails: ['on-call@example.com'], encryption });
      const resources = resourcesOf(stack);
      expect(cycleOf(resources)).toBeUndefined();
      const key = encryption === 'customerKey' ? 'EncryptionKey' : 'AlarmTopicKey';
      expect(the(resources, 'AlarmTopic').Properties?.KmsMasterKeyId).toEqual({
        'Fn::GetAtt': [the(resources, key).id, 'Arn'],
      });
      expect(
        statementsOf(the(resources, key))
          .map(({ Principal }) => JSON.stringify(Principal))
          .join(),
      ).toContain('cloudwatch.amazonaws.com');
    },
  );

  test('topics that exist, one for what pages and one for what can wait', () => {
    const app = new App({ context: { 'aws:cdk:bundling-stacks': [] } });
    const there = new Stack(app, 'There');
    const alarmTopic = new Topic(there, 'Pager');
    const ticketTopic = new Topic(there, 'Tickets');
    const stack = new MessagingStack(app, 'Shop', { messaging: shop, handlers, alarmTopic, ticketTopic });
    expect(stack.alarmTopic).toBe(alarmTopic);
    expect(stack.ticketTopic).toBe(ticketTopic);
    const resources = resourcesOf(stack);
    expect(JSON.stringify(announcedBy(resources, page))).toContain('Pager');
    expect(JSON.stringify(announcedBy(resources, ticket))).toContain('Tickets');
    for (const name of ['PagerPolicy', 'TicketsPolicy'])
      expect(JSON.stringify(the(resourcesOf(there), name))).toContain('cloudwatch.amazonaws.com');
  });

  it('and adds addresses to a topic that exists', () => {
    const app = new App({ context: { 'aws:cdk:bundling-stacks': [] } });
    const there = new Stack(app, 'There');
    const alarmTopic = new Topic(there, 'Pager');
    const alarmEmails = ['on-call@example.com'];
    const stack = new MessagingStack(app, 'Shop', { messaging: shop, handlers, alarmTopic, alarmEmails });
    expect(stack.alarmTopic).toBe(alarmTopic);
    expect(idsOf(resourcesOf(there), 'AWS::SNS::Subscription')).toHaveLength(1);
  });
});

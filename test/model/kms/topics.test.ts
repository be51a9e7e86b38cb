import { describe, expect, it } from 'vitest';
import { milliseconds } from '../../../lib/base/index.ts';
import {
  accountDecides,
  inWorld,
  queueArn,
  type Statement,
  service,
  topicArn,
  type World,
} from './support.ts';

const minute = milliseconds(60_000);

async function subscribe({ call }: World, queue: string, attributes: Record<string, string> = {}) {
  const Attributes = { RawMessageDelivery: 'true', ...attributes };
  await call('sns', 'Subscribe', {
    ...{ TopicArn: topicArn('orders'), Protocol: 'sqs', Endpoint: queueArn(queue), Attributes },
  });
}
const publish = { TopicArn: topicArn('orders'), Message: 'hello' };

const counted = ({ aws }: World, MetricName: string) =>
  aws.services.cloudwatch!.operations.GetMetricStatistics!(
    {
      Namespace: 'AWS/SNS',
      MetricName,
      Dimensions: [{ Name: 'TopicName', Value: 'orders' }],
      StartTime: new Date(aws.context.clock.now() - 60_000),
      EndTime: new Date(aws.context.clock.now() + 60_000),
      Period: 3_600,
      Statistics: ['Sum'],
    },
    {},
  );

describe('A topic under a customer key', () => {
  it.each([
    ['both', ['kms:GenerateDataKey', 'kms:Decrypt'], true],
    ['no kms:Decrypt', ['kms:GenerateDataKey'], false],
    ['no kms:GenerateDataKey', ['kms:Decrypt'], false],
  ])('takes messages of a role with %s', (_name, granted, accepted) =>
    inWorld(async ({ call, key, topic, role }) => {
      await topic('orders', { KmsMasterKeyId: await key() });
      const publisher = role('publisher', 'sns:*', ...granted);
      const entries = {
        TopicArn: topicArn('orders'),
        PublishBatchRequestEntries: [{ Id: 'a', Message: 'm' }],
      };
      for (const [action, input] of [
        ['Publish', publish],
        ['PublishBatch', entries],
      ] as const) {
        const published = call('sns', action, input, publisher);
        if (accepted) await published;
        else
          await expect(published).rejects.toMatchObject({
            name: 'KMSAccessDeniedException',
            queryCode: 'KMSAccessDenied',
            statusCode: 400,
          });
      }
    }),
  );

  it('delivers to queues that are not encrypted', () =>
    inWorld(async (world) => {
      await world.topic('orders', { KmsMasterKeyId: await world.key() });
      await world.queue('plain');
      await subscribe(world, 'plain');
      await world.call('sns', 'Publish', publish);
      expect(world.bodies('plain')).toEqual(['hello']);
    }));
});

describe('Delivery to a queue under a customer key', () => {
  const delivered = async (world: World, ...statements: readonly Statement[]) => {
    await world.topic('orders');
    await world.queue('work', { KmsMasterKeyId: await world.key(accountDecides, ...statements) });
    await subscribe(world, 'work');
    await world.call('sns', 'Publish', publish);
    return world.bodies('work');
  };
  const from = (source: string) => ({
    StringEquals: { 'aws:SourceAccount': '000000000000' },
    ArnEquals: { 'aws:SourceArn': topicArn(source) },
  });

  it('needs a statement for SNS', () =>
    inWorld(async (world) => {
      expect(await delivered(world, service('sns'))).toEqual(['hello']);
    }));
  it('is lost without one, whatever the account may do', () =>
    inWorld(async (world) => {
      expect(await delivered(world)).toEqual([]);
    }));
  it('may be bound to the topic', () =>
    inWorld(async (world) => {
      expect(await delivered(world, service('sns', from('orders')))).toEqual(['hello']);
    }));
  it('is lost where the statement is for another topic', () =>
    inWorld(async (world) => {
      expect(await delivered(world, service('sns', from('returns')))).toEqual([]);
    }));
  it('is lost under the key that AWS manages, to which SNS has no way', () =>
    inWorld(async (world) => {
      await world.topic('orders');
      await world.queue('work', { KmsMasterKeyId: 'alias/aws/sqs' });
      await subscribe(world, 'work');
      await world.call('sns', 'Publish', publish);
      expect(world.bodies('work')).toEqual([]);
    }));

  const withDeadLetters = async (world: World, deadKey: string) => {
    await world.topic('orders');
    await world.queue('work', { KmsMasterKeyId: await world.key() });
    await world.queue('lost', { KmsMasterKeyId: deadKey });
    await subscribe(world, 'work', {
      RedrivePolicy: JSON.stringify({ deadLetterTargetArn: queueArn('lost') }),
    });
    await world.call('sns', 'Publish', publish);
  };
  it('that is lost goes to the dead-letter queue of the subscription, if SNS may use its key', () =>
    inWorld(async (world) => {
      await withDeadLetters(world, await world.key(accountDecides, service('sns')));
      expect(world.bodies('lost')).toEqual(['hello']);
      expect(await counted(world, 'NumberOfNotificationsRedrivenToDlq')).toMatchObject({
        Datapoints: [{ Sum: 1 }],
      });
    }));
  it('that is lost is lost for ever, if SNS may not use that key either', () =>
    inWorld(async (world) => {
      await withDeadLetters(world, await world.key());
      expect(world.bodies('lost')).toEqual([]);
      expect(await counted(world, 'NumberOfNotificationsFailedToRedriveToDlq')).toMatchObject({
        Datapoints: [{ Sum: 1 }],
      });
    }));
});

describe('An alarm whose topic is under a key', () => {
  const Alarm = 'arn:aws:cloudwatch:us-east-1:000000000000:alarm:late';
  const ring = async (world: World, attributes: Record<string, string>) => {
    const { call, clock } = world;
    await world.topic('orders', attributes);
    await world.queue('pager');
    await subscribe(world, 'pager');
    await call('cloudwatch', 'PutMetricAlarm', {
      AlarmName: 'late',
      ...{ Namespace: 'shop', MetricName: 'lag', Statistic: 'Maximum', Period: 60, EvaluationPeriods: 1 },
      ...{ Threshold: 1, ComparisonOperator: 'GreaterThanThreshold', AlarmActions: [topicArn('orders')] },
    });
    await call('cloudwatch', 'PutMetricData', {
      Namespace: 'shop',
      MetricData: [{ MetricName: 'lag', Value: 5 }],
    });
    await clock.advance(minute);
    const { MetricAlarms } = await call<{ MetricAlarms: { StateValue: string }[] }>(
      'cloudwatch',
      'DescribeAlarms',
      {},
    );
    const { AlarmHistoryItems } = await call<{ AlarmHistoryItems: { HistorySummary: string }[] }>(
      'cloudwatch',
      'DescribeAlarmHistory',
      { AlarmName: 'late', HistoryItemType: 'Action' },
    );
    return {
      state: MetricAlarms[0]!.StateValue,
      history: AlarmHistoryItems.map(({ HistorySummary }) => HistorySummary),
      paged: world.bodies('pager').length,
    };
  };
  const published = {
    state: 'ALARM',
    history: [`Successfully executed action ${topicArn('orders')}`],
    paged: 1,
  };
  const silent = {
    state: 'ALARM',
    history: [
      expect.stringMatching(
        /^Failed to execute action arn:aws:sns:us-east-1:000000000000:orders\. Received error: "null \(Service: AWSKMS; Status Code: 400; Error Code: AccessDeniedException; Request ID: [-0-9a-f]{36}; Proxy: null\)"$/,
      ),
    ],
    paged: 0,
  };

  it('publishes where the key has a statement for CloudWatch', () =>
    inWorld(async (world) => {
      const keyId = await world.key(accountDecides, service('cloudwatch'));
      expect(await ring(world, { KmsMasterKeyId: keyId })).toEqual(published);
    }));
  it('publishes where that statement is bound to the account and the alarm', () =>
    inWorld(async (world) => {
      const bound = {
        StringEquals: { 'aws:SourceAccount': '000000000000' },
        ArnLike: { 'aws:SourceArn': Alarm.replace('late', '*') },
      };
      const keyId = await world.key(accountDecides, service('cloudwatch', bound));
      expect(await ring(world, { KmsMasterKeyId: keyId })).toEqual(published);
    }));
  it('turns, and tells nobody, where the key has none', () =>
    inWorld(async (world) => {
      const keyId = await world.key(accountDecides, service('sns'));
      expect(await ring(world, { KmsMasterKeyId: keyId })).toEqual(silent);
    }));
  it('turns, and tells nobody, under the key that AWS manages for SNS', () =>
    inWorld(async (world) => {
      expect(await ring(world, { KmsMasterKeyId: 'alias/aws/sns' })).toEqual(silent);
    }));

  it('is stopped by a policy of the topic that does not name CloudWatch, too', () =>
    inWorld(async (world) => {
      const Policy = JSON.stringify({
        Statement: [
          {
            Effect: 'Deny',
            Principal: '*',
            Action: 'sns:Publish',
            Resource: '*',
            Condition: { Bool: { 'aws:SecureTransport': 'false' } },
          },
        ],
      });
      expect(await ring(world, { Policy })).toEqual({
        state: 'ALARM',
        history: [
          `Failed to execute action ${topicArn('orders')}. Received error: "Resource: ${Alarm} is not authorized to perform: SNS:Publish on resource: ${topicArn('orders')}"`,
        ],
        paged: 0,
      });
    }));
  it('publishes under a policy that names CloudWatch, or the topic’s own account as that of a new topic does', () =>
    inWorld(async (world) => {
      const allow = (rest: object) =>
        JSON.stringify({ Statement: [{ Effect: 'Allow', Action: 'SNS:Publish', Resource: '*', ...rest }] });
      const named = allow({ Principal: { Service: 'cloudwatch.amazonaws.com' } });
      expect(await ring(world, { Policy: named })).toEqual(published);
    }).then(() =>
      inWorld(async (world) => {
        await world.topic('other');
        const { Attributes } = await world.call<{ Attributes: { Policy: string } }>(
          'sns',
          'GetTopicAttributes',
          {
            TopicArn: topicArn('other'),
          },
        );
        const Policy = Attributes.Policy.replaceAll(':other', ':orders');
        expect(await ring(world, { Policy })).toEqual(published);
      }),
    ));
});

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { App } from 'aws-cdk-lib';
import { MessagingStack } from 'sluice/cdk';
import { loadAssembly } from 'sluice/local';
import { describe, expect, it } from 'vitest';
import { orders } from '../../../examples/orders/topology.ts';
import { inWorld, type World } from './support.ts';

const handlers = fileURLToPath(new URL('../../../examples/orders/handlers', import.meta.url));

/** The template's text, without what its keys let one service do. */
function withoutStatementsFor(service: string, file: string): void {
  const template = JSON.parse(readFileSync(file, 'utf8')) as {
    Resources: Record<string, { Type: string; Properties: { KeyPolicy: { Statement: object[] } } }>;
  };
  for (const { Type, Properties } of Object.values(template.Resources)) {
    if (Type !== 'AWS::KMS::Key') continue;
    const { KeyPolicy } = Properties;
    KeyPolicy.Statement = KeyPolicy.Statement.filter((one) => !JSON.stringify(one).includes(service));
  }
  writeFileSync(file, JSON.stringify(template));
}

/** Deploys the stack of orders, publishes an event, and rings an alarm. */
async function run(
  { aws, call }: World,
  encryption: 'awsManaged' | 'customerKey' | 'customerKeys',
  left?: string,
) {
  const app = new App({ analyticsReporting: false, context: { 'aws:cdk:bundling-stacks': [] } });
  new MessagingStack(app, 'Orders', {
    ...{ messaging: orders, handlers, encryption, alarmEmails: ['operator@example.org'] },
    env: { account: '000000000000', region: 'us-east-1' },
  });
  const { directory } = app.synth();
  if (left !== undefined) withoutStatementsFor(left, join(directory, 'Orders.template.json'));
  const { outputs } = await aws.cloudformation.deploy(loadAssembly(directory), 'Orders');
  await call('sns', 'Publish', {
    ...{ TopicArn: outputs.TopicArnOrders, Message: '{}' },
    ...{ MessageGroupId: 'one', MessageDeduplicationId: 'one' },
  });
  const types = { AlarmTypes: ['MetricAlarm', 'CompositeAlarm'] };
  type Alarms = Record<string, { AlarmName: string; AlarmActions?: string[] }[]>;
  const { MetricAlarms = [], CompositeAlarms = [] } = await call<Alarms>(
    'cloudwatch',
    'DescribeAlarms',
    types,
  );
  const alarm = [...MetricAlarms, ...CompositeAlarms].find(
    ({ AlarmActions = [] }) => AlarmActions.length > 0,
  );
  await call('cloudwatch', 'SetAlarmState', {
    ...{ AlarmName: alarm?.AlarmName, StateValue: 'ALARM', StateReason: 'a test' },
  });
  const { AlarmHistoryItems } = await call<{ AlarmHistoryItems: { HistorySummary: string }[] }>(
    'cloudwatch',
    'DescribeAlarmHistory',
    { ...types, HistoryItemType: 'Action' },
  );
  return {
    delivered: aws.sqs.queues().filter(({ sent }) => sent > 0).length,
    told: [...new Set(AlarmHistoryItems.map(({ HistorySummary }) => HistorySummary.split(' ')[0]))],
  };
}

describe('The stack of orders delivers to every subscriber and tells its alarms', () => {
  it.each(['awsManaged', 'customerKey', 'customerKeys'] as const)('with encryption %s', (encryption) =>
    inWorld(async (world) => {
      expect(await run(world, encryption)).toEqual({ delivered: 5, told: ['Successfully'] });
    }),
  );
  it('but loses all messages without what its keys let SNS do', () =>
    inWorld(async (world) => {
      expect(await run(world, 'customerKeys', 'sns.amazonaws.com')).toMatchObject({ delivered: 0 });
    }));
  it('but tells nobody of its alarms without what its keys let CloudWatch do', () =>
    inWorld(async (world) => {
      expect(await run(world, 'customerKeys', 'cloudwatch.amazonaws.com')).toEqual({
        delivered: 5,
        told: ['Failed'],
      });
    }));
});

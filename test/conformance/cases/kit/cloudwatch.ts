import {
  type CompositeAlarm,
  DeleteAlarmsCommand,
  DescribeAlarmsCommand,
  GetMetricDataCommand,
  type MetricAlarm,
  type MetricDataQuery,
  type MetricDataResult,
  type MetricDatum,
  PutCompositeAlarmCommand,
  type PutCompositeAlarmCommandInput,
  PutMetricAlarmCommand,
  type PutMetricAlarmCommandInput,
  PutMetricDataCommand,
  SetAlarmStateCommand,
  type StateValue,
} from '@aws-sdk/client-cloudwatch';
import { CreateTopicCommand, DeleteTopicCommand, SubscribeCommand } from '@aws-sdk/client-sns';
import { ReceiveMessageCommand, SetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { Difference } from '../../case.ts';
import type { World } from '../../world.ts';
import { arnOf } from './lambda.ts';
import { queue } from './sqs.ts';

export const minute = 60_000;

/** Data of metric `m`, unless they name another. */
export type Datum = Partial<MetricDatum>;

/** How long a point may take to be seen, in seconds: AWS publishes within minutes, servers at once. */
const publication = ({ server }: World) => (server === 'aws' ? 240 : 5);

/** Lets time pass until `seconds` into the next minute. */
export const nextMinute = (world: World, seconds = 0): Promise<void> =>
  world.pass((minute - (world.now() % minute)) / 1000 + seconds);

/** The namespace of a case. */
export const namespaceOf = ({ name }: World): string => name('conformance');

/** Publishes data of metric `m` at full minutes before now: `at(-2)` is two minutes ago. */
export async function publish(
  { cloudwatch }: World,
  Namespace: string,
  data: readonly Datum[],
): Promise<void> {
  await cloudwatch.send(
    new PutMetricDataCommand({ Namespace, MetricData: data.map((one) => ({ MetricName: 'm', ...one })) }),
  );
}

/** The start of the minute so many minutes from this one. */
export const minuteAt = ({ now }: World, offset: number): Date =>
  new Date(Math.floor(now() / minute) * minute + offset * minute);

/** A query for one metric. */
export const metric = (
  Id: string,
  Namespace: string,
  Stat: string,
  more: {
    MetricName?: string;
    Period?: number;
    Dimensions?: Record<string, string>;
    ReturnData?: boolean;
  } = {},
): MetricDataQuery => ({
  Id,
  ReturnData: more.ReturnData ?? true,
  MetricStat: {
    Stat,
    Period: more.Period ?? 60,
    Metric: {
      Namespace,
      MetricName: more.MetricName ?? 'm',
      Dimensions: Object.entries(more.Dimensions ?? {}).map(([Name, Value]) => ({ Name, Value })),
    },
  },
});

/** Reads queries over the last `minutes` and the present one. */
export async function read(
  world: World,
  queries: readonly MetricDataQuery[],
  minutes = 15,
): Promise<readonly MetricDataResult[]> {
  const { MetricDataResults = [] } = await world.cloudwatch.send(
    new GetMetricDataCommand({
      MetricDataQueries: [...queries],
      StartTime: minuteAt(world, -minutes),
      EndTime: minuteAt(world, 1),
      ScanBy: 'TimestampAscending',
    }),
  );
  return MetricDataResults;
}

/** The values of the first query that has `count` points, once it has them. */
export async function values(
  world: World,
  queries: readonly MetricDataQuery[],
  count: number,
  minutes = 15,
): Promise<readonly number[]> {
  let last: readonly number[] = [];
  try {
    return await world.eventually(`${count} points`, publication(world), async () => {
      const [first] = (await read(world, queries, minutes)).filter(({ Values = [] }) => Values.length > 0);
      last = first?.Values ?? [];
      return last.length >= count ? last : undefined;
    });
  } catch (error) {
    if (!(error instanceof Difference)) throw error;
    throw new Difference(
      `${last.length === 0 ? 'No points' : `The points ${last.join(', ')}`} instead of ${count}.`,
    );
  }
}

/** Makes an alarm on metric `m`: above 0 in one minute of one, unless said otherwise. Gives its name. */
export async function alarm(world: World, input: Partial<PutMetricAlarmCommandInput> = {}): Promise<string> {
  const AlarmName = input.AlarmName ?? world.name('alarm');
  const ofMetric = input.Metrics === undefined;
  await world.cloudwatch.send(
    new PutMetricAlarmCommand({
      ...(ofMetric
        ? {
            Namespace: world.name('alarmed'),
            MetricName: 'm',
            Period: 60,
            ...(input.ExtendedStatistic === undefined ? { Statistic: 'Maximum' as const } : {}),
          }
        : {}),
      EvaluationPeriods: 1,
      Threshold: 0,
      ComparisonOperator: 'GreaterThanThreshold',
      ...input,
      AlarmName,
    }),
  );
  world.after(() => world.cloudwatch.send(new DeleteAlarmsCommand({ AlarmNames: [AlarmName] })));
  return AlarmName;
}

/** Makes a composite alarm. Gives its name. */
export async function composite(
  world: World,
  AlarmRule: string,
  input: Partial<PutCompositeAlarmCommandInput> = {},
): Promise<string> {
  const AlarmName = input.AlarmName ?? world.name('composite');
  await world.cloudwatch.send(new PutCompositeAlarmCommand({ AlarmRule, ...input, AlarmName }));
  world.after(() => world.cloudwatch.send(new DeleteAlarmsCommand({ AlarmNames: [AlarmName] })));
  return AlarmName;
}

/** An alarm by its name. */
export async function described({ cloudwatch }: World, name: string): Promise<MetricAlarm & CompositeAlarm> {
  const { MetricAlarms = [], CompositeAlarms = [] } = await cloudwatch.send(
    new DescribeAlarmsCommand({ AlarmNames: [name], AlarmTypes: ['MetricAlarm', 'CompositeAlarm'] }),
  );
  const found = MetricAlarms[0] ?? CompositeAlarms[0];
  if (found === undefined) throw new Difference(`There is no alarm ${name} although it was made.`);
  return found as MetricAlarm & CompositeAlarm;
}

/** The state of an alarm. */
export const stateOf = async (world: World, name: string): Promise<StateValue | undefined> =>
  (await described(world, name)).StateValue;

/** Waits until an alarm is in a state. */
export async function comesTo(world: World, name: string, state: StateValue, within = 10): Promise<void> {
  let last: StateValue | undefined;
  try {
    await world.eventually(`${state}`, within, async () => {
      last = await stateOf(world, name);
      return last === state ? true : undefined;
    });
  } catch (error) {
    if (!(error instanceof Difference)) throw error;
    throw new Difference(`The alarm is ${last} after ${within} s, it should be ${state}.`);
  }
}

/** Puts an alarm into a state. */
export const put = (
  { cloudwatch }: World,
  AlarmName: string,
  StateValue: StateValue,
  StateReason = 'by hand',
) => cloudwatch.send(new SetAlarmStateCommand({ AlarmName, StateValue, StateReason }));

/** A topic whose notifications can be read. */
export interface Inbox {
  readonly topicArn: string;
  /** The messages that came within a while, parsed. */
  read(atLeast: number): Promise<readonly Record<string, unknown>[]>;
}

/** Makes a topic, and a queue that gets its messages raw. */
export async function inbox(world: World): Promise<Inbox> {
  const { sns, sqs, name, after, eventually } = world;
  const { TopicArn = '' } = await sns.send(new CreateTopicCommand({ Name: name('topic') }));
  after(() => sns.send(new DeleteTopicCommand({ TopicArn })));
  const url = await queue(world, { VisibilityTimeout: '60' });
  const arn = await arnOf(world, url);
  const Policy = JSON.stringify({
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Allow',
        Principal: { Service: 'sns.amazonaws.com' },
        Action: 'sqs:SendMessage',
        Resource: arn,
        Condition: { ArnEquals: { 'aws:SourceArn': TopicArn } },
      },
    ],
  });
  await sqs.send(new SetQueueAttributesCommand({ QueueUrl: url, Attributes: { Policy } }));
  await sns.send(
    new SubscribeCommand({
      TopicArn,
      Protocol: 'sqs',
      Endpoint: arn,
      Attributes: { RawMessageDelivery: 'true' },
    }),
  );
  const heard: Record<string, unknown>[] = [];
  return {
    topicArn: TopicArn,
    async read(atLeast) {
      const look = async () => {
        const { Messages = [] } = await sqs.send(
          new ReceiveMessageCommand({ QueueUrl: url, MaxNumberOfMessages: 10 }),
        );
        for (const { Body = '' } of Messages) heard.push(JSON.parse(Body) as Record<string, unknown>);
        return Messages.length;
      };
      if (atLeast > 0)
        await eventually(`${atLeast} notification${atLeast === 1 ? '' : 's'}`, 10, async () => {
          await look();
          return heard.length >= atLeast ? true : undefined;
        });
      while ((await look()) > 0);
      return heard;
    },
  };
}

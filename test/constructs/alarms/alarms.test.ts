import { App, Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { seconds } from 'sluice';
import { AlarmError, Alarms, type AlarmsProps, subscriberAlarms, topicAlarms } from 'sluice/cdk';
import { beforeAll, describe, expect, it } from 'vitest';

const definitions = subscriberAlarms({
  name: 'payments',
  lag: seconds(60),
  fifo: true,
  concurrency: 10,
  alarms: 'full',
});

function templateOf(props: (scope: Stack) => Partial<AlarmsProps>) {
  const stack = new Stack(new App(), 'Shop');
  const { byKey } = new Alarms(stack, 'Alarms', {
    definitions,
    physicalName: ({ kind }) => kind,
    ...props(stack),
  });
  return { byKey, template: Template.fromStack(stack) };
}

interface Resource {
  readonly Type: string;
  readonly Properties: Readonly<Record<string, unknown>> & { readonly AlarmName: string };
}

const alarmsOf = (template: Template): Resource[] =>
  Object.values(template.toJSON().Resources as Record<string, Resource>).filter(({ Type }) =>
    Type.startsWith('AWS::CloudWatch::'),
  );

describe('Alarms become CloudWatch resources', () => {
  let template: Template;
  let byName: ReadonlyMap<string, Resource>;

  beforeAll(() => {
    ({ template } = templateOf((scope) => ({
      alarmTopic: new Topic(scope, 'Pages'),
      ticketTopic: new Topic(scope, 'Tickets'),
      runbook: 'https://wiki.example.com/watch',
    })));
    byName = new Map(alarmsOf(template).map((each) => [each.Properties.AlarmName, each]));
  });

  const named = (name: string) => {
    const found = byName.get(`Shop-payments-${name}`);
    expect(found, name).toBeDefined();
    return found!;
  };
  /** The logical ids of the topics that hear it, when it goes off and when it ends. */
  const heardBy = (name: string) => {
    const { AlarmActions = [], OKActions = [] } = named(name).Properties as {
      AlarmActions?: { Ref: string }[];
      OKActions?: { Ref: string }[];
    };
    return [AlarmActions, OKActions].map((actions) => actions.map(({ Ref }) => Ref.slice(0, -8)));
  };

  it('each under its name, with the way to its section of the runbook', () => {
    expect([...byName.keys()]).toEqual(definitions.map(({ key }) => `Shop-${key}`));
    for (const { key, runbook, severity } of definitions)
      expect(byName.get(`Shop-${key}`)?.Properties.AlarmDescription).toMatch(
        new RegExp(
          `^\\[${severity}\\] payments: .*\\. Runbook: https://wiki\\.example\\.com/watch#${runbook}$`,
        ),
      );
  });

  it('a page goes to one topic, a ticket to the other, and their end too', () => {
    expect(heardBy('L-page')).toEqual([['Pages'], ['Pages']]);
    expect(heardBy('L-ticket')).toEqual([['Tickets'], ['Tickets']]);
    expect(heardBy('E-dead-letters')).toEqual([['Tickets'], ['Tickets']]);
    expect(heardBy('E-undelivered')).toEqual([['Pages'], ['Pages']]);
  });

  it('what tells of a moment has no end that were news', () => {
    expect(heardBy('E2-fresh-dead-letters')).toEqual([['Tickets'], []]);
    expect(heardBy('K-recursion')).toEqual([['Pages'], []]);
  });

  it('what a composite speaks for notifies nobody itself', () => {
    for (const name of [
      'A-lag',
      'A2-burn',
      'A2-burn-long',
      'B-growth',
      'C3-breach-ahead',
      'H-stalled',
      'L-replay',
    ])
      expect(heardBy(name), name).toEqual([[], []]);
  });

  it('a composite names its members by ARN, so that they are made before it', () => {
    const logicalId = (name: string) =>
      Object.entries(template.findResources('AWS::CloudWatch::Alarm')).find(
        ([, { Properties }]) => Properties.AlarmName === `Shop-payments-${name}`,
      )![0];
    const arn = (name: string) => ({ 'Fn::GetAtt': [logicalId(name), 'Arn'] });
    expect(named('A2-burn')).toMatchObject({
      Type: 'AWS::CloudWatch::CompositeAlarm',
      Properties: {
        AlarmRule: {
          'Fn::Join': ['', ['(ALARM("', arn('A2-burn-long'), '") AND ALARM("', arn('A2-burn-short'), '"))']],
        },
      },
    });
    expect(named('L-page').Properties).toMatchObject({
      ActionsSuppressor: arn('L-replay'),
      ActionsSuppressorWaitPeriod: 0,
      ActionsSuppressorExtensionPeriod: 60,
    });
  });

  it('an expression keeps its metrics, and one metric stays as it is', () => {
    expect(named('B-growth').Properties).toMatchObject({
      Metrics: [
        {
          Expression: 'IF(vis > 100 AND DIFF(vis) > 0 AND FILL(sent, 0) > FILL(del, 0), 1, 0)',
          ReturnData: true,
        },
        { Id: 'vis', MetricStat: { Stat: 'Maximum', Period: 300 }, ReturnData: false },
        { Id: 'sent', MetricStat: { Stat: 'Sum', Period: 300 }, ReturnData: false },
        { Id: 'del', MetricStat: { Stat: 'Sum', Period: 300 }, ReturnData: false },
      ],
    });
    expect(named('A-lag').Properties).toMatchObject({
      MetricName: 'ApproximateAgeOfOldestMessage',
      Period: 60,
    });
    expect(named('A-lag').Properties.Metrics).toBeUndefined();
  });
});

describe('Who hears of alarms', () => {
  const topics = (template: Template) => [
    ...new Set(alarmsOf(template).flatMap(({ Properties }) => JSON.stringify(Properties.AlarmActions ?? []))),
  ];

  it.each(['alarmTopic', 'ticketTopic'] as const)('%s alone hears of all', (name) => {
    const { template } = templateOf((scope) => ({
      [name]: new Topic(scope, 'Only'),
      definitions: topicAlarms({ name: 'news', subscribers: ['mail'], filtered: true }),
    }));
    expect(topics(template)).toEqual([expect.stringContaining('Only')]);
  });

  it('without a topic nobody: they only change their state', () => {
    const { template } = templateOf(() => ({}));
    template.allResourcesProperties(
      'AWS::CloudWatch::Alarm',
      Match.objectLike({ AlarmActions: Match.absent() }),
    );
    template.allResourcesProperties(
      'AWS::CloudWatch::CompositeAlarm',
      Match.objectLike({ AlarmActions: Match.absent() }),
    );
  });
});

describe('What CloudWatch would refuse is not synthesized', () => {
  it('every fault, under the names that the alarms would have', () => {
    const [lag, ...more] = definitions;
    expect(() =>
      templateOf(() => ({ definitions: [{ ...lag!, datapointsToAlarm: 6 } as never, ...more] })),
    ).toThrow(AlarmError);
    const stack = new Stack(new App(), 'S'.repeat(128));
    const key = `payments-${'x'.repeat(130)}`;
    expect(
      () =>
        new Alarms(stack, 'Alarms', {
          definitions: [{ ...lag!, key }],
          physicalName: ({ kind }) => kind,
        }),
    ).toThrow(/name: found 268 characters; allowed: 1 to 255 characters/);
  });
});

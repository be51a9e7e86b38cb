import { App, Aws, Duration, Stack, Token } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import {
  Alarm,
  AlarmRule,
  CompositeAlarm,
  GraphWidget,
  type IAlarm,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { type DashboardRow, dashboardOf, MessagingDashboard } from 'sluice/cdk';
import { describe, expect, it } from 'vitest';
import { createAws } from '../../local/index.ts';
import { shop, shopStack } from './fixtures/shop.ts';

interface Widget {
  readonly type: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly properties: {
    readonly title?: string;
    readonly markdown?: string;
    readonly alarms?: readonly string[];
    readonly metrics?: readonly (readonly unknown[])[];
    readonly annotations?: {
      readonly horizontal: readonly { readonly label: string; readonly value: number }[];
    };
    readonly view?: string;
    readonly stacked?: boolean;
    readonly sortBy?: string;
  };
}

interface Body {
  readonly widgets: readonly Widget[];
  readonly variables: readonly Readonly<Record<string, unknown>>[];
  readonly start: string;
  readonly periodOverride: string;
}

type Text =
  | string
  | { readonly 'Fn::Sub': string | readonly [string, Readonly<Record<string, unknown>>] }
  | { readonly 'Fn::Join': readonly [string, readonly Text[]] };

/** The text of a body, with a name in place of each value that only the deployment knows. */
function textOf(body: Text): string {
  if (typeof body === 'string') return body;
  if ('Fn::Join' in body) return body['Fn::Join'][1].map(textOf).join(body['Fn::Join'][0]);
  if (!('Fn::Sub' in body)) return nameOf(body);
  const sub = body['Fn::Sub'];
  const [pattern, values] = typeof sub === 'string' ? [sub, {} as Readonly<Record<string, unknown>>] : sub;
  return pattern.replace(/\$\{([^}]*)\}/g, (_, name: string) => {
    if (name.startsWith('!')) return `\${${name.slice(1)}}`;
    expect(values).toHaveProperty(name);
    return nameOf(values[name]);
  });
}

/** `Ref` and `Fn::GetAtt` as a text that stays within JSON. */
const nameOf = (part: unknown): string => `arn:${JSON.stringify(part).replace(/[^A-Za-z0-9.:]/g, '')}`;

/** The dashboards of a stack by their names, in their order. */
const dashboardsOf = (stack: Stack): Map<string, Body> =>
  new Map(
    Object.values(Template.fromStack(stack).findResources('AWS::CloudWatch::Dashboard')).map(
      ({ Properties }) => [Properties.DashboardName as string, JSON.parse(textOf(Properties.DashboardBody))],
    ),
  );

const physicalName = () => 'name';

/** What CloudWatch fills in when it draws a label, and CloudFormation must not. */
const literal = (name: string): string => `\${${name}}`;
const alarmsIn = (stack: Stack, count: number): IAlarm[] =>
  Array.from({ length: count }, (_, index) =>
    Alarm.fromAlarmArn(stack, `A${index}`, `arn:aws:cloudwatch:eu-central-1:123456789012:alarm:${index}`),
  );

/** Rows of a stack with many subscribers, without a declaration of them. */
const manyRows = (count: number): DashboardRow[] => {
  const [overview, ...others] = dashboardOf(shop);
  const one = others.find(({ subject }) => subject.name === 'payments')!;
  const rows = Array.from({ length: count }, (_, index) => ({
    ...one,
    subject: { kind: 'subscriber' as const, name: `reader-${index}` },
    title: `Subscriber reader-${index}`,
  }));
  return [overview!, ...rows];
};

describe('The dashboard of a stack', () => {
  const { stack } = shopStack();
  const dashboards = dashboardsOf(stack);
  const body = dashboards.get('Shop')!;
  const titled = (title: string) => body.widgets.filter(({ properties }) => properties.title === title);

  it('is one, under the logical id that it always had', () => {
    expect([...dashboards.keys()]).toEqual(['Shop']);
    expect(Object.keys(Template.fromStack(stack).findResources('AWS::CloudWatch::Dashboard'))).toEqual([
      'WatchDashboard77C0F6EE',
    ]);
  });

  it('has the overview, then a row for each topic and subscriber', () => {
    const texts = body.widgets.flatMap(({ properties }) => properties.markdown ?? []);
    expect(texts).toEqual([
      '## Overview',
      expect.stringContaining('## Topic orders'),
      expect.stringContaining('## Topic stock-moves'),
      expect.stringContaining('## Subscriber payments'),
      expect.stringContaining('## Subscriber analytics'),
      expect.stringContaining('## Subscriber stock-mail'),
    ]);
  });

  it('marks the SLO on the lag', () => {
    expect(titled('Lag').map(({ properties }) => properties.annotations?.horizontal)).toEqual([
      [{ label: 'SLO 60 s', value: 60, yAxis: 'left' }],
      [{ label: 'SLO 300 s', value: 300, yAxis: 'left' }],
      [{ label: 'SLO 600 s', value: 600, yAxis: 'left' }],
    ]);
  });

  it('shows every alarm of the stack at the top, those in alarm first', () => {
    const [first] = body.widgets;
    expect(first).toMatchObject({ type: 'alarm', y: 0, properties: { sortBy: 'stateUpdatedTimestamp' } });
    expect(first!.properties.alarms).toHaveLength(stack.alarms.size);
  });

  it('shows the table of records', () => {
    const [table] = titled('Table of records');
    expect(JSON.stringify(table)).toContain('ConsumedWriteCapacityUnits');
  });

  it('offers the period of all its graphs, a minute at first', () => {
    expect(body.variables).toEqual([
      {
        id: 'period',
        label: 'Period',
        type: 'property',
        property: 'period',
        inputType: 'select',
        visible: true,
        defaultValue: '60',
        values: [
          { label: '1 minute', value: '60' },
          { label: '5 minutes', value: '300' },
          { label: '15 minutes', value: '900' },
          { label: '1 hour', value: '3600' },
        ],
      },
    ]);
    // The variable reaches a metric only by the property: CloudWatch's default of 300 s is never left to it.
    for (const { properties } of body.widgets)
      for (const metric of properties.metrics ?? []) expect(metric.at(-1)).toMatchObject({ period: 60 });
    expect(body.periodOverride).toBe('inherit');
    expect(body.start).toBe('-PT3H');
  });

  it('lies within the grid, and no two widgets lie on each other', () => {
    const taken = new Set<string>();
    for (const { x, y, width, height } of body.widgets) {
      expect(x + width).toBeLessThanOrEqual(24);
      for (let column = x; column < x + width; column++)
        for (let line = y; line < y + height; line++) {
          expect(taken.has(`${column},${line}`)).toBe(false);
          taken.add(`${column},${line}`);
        }
    }
  });

  it('draws costs on top of each other and the overview as numbers', () => {
    expect(titled('Estimated cost').map(({ properties }) => properties.stacked)).not.toContain(false);
    expect(titled('Now')[0]!.properties.view).toBe('singleValue');
  });

  it('is one that CloudWatch takes', async () => {
    const aws = createAws();
    try {
      const put = { DashboardName: 'Shop', DashboardBody: JSON.stringify(body) };
      expect(await aws.call('cloudwatch', 'PutDashboard', put)).toEqual({ DashboardValidationMessages: [] });
    } finally {
      aws.stop();
    }
  });
});

describe('The construct stands alone', () => {
  const make = (props: Partial<ConstructorParameters<typeof MessagingDashboard>[2]> = {}) => {
    const stack = new Stack(new App(), 'Alone');
    const made = new MessagingDashboard(stack, 'Watch', {
      rows: dashboardOf(shop),
      physicalName,
      dashboardName: 'alone',
      ...props,
    });
    return { stack, made };
  };

  it('on data alone, without a stack of messaging, alarms or a table of records', () => {
    const { stack, made } = make();
    expect(made.dashboards).toEqual([made.dashboard]);
    const body = dashboardsOf(stack).get('alone')!;
    expect(body.widgets.filter(({ type }) => type === 'alarm')).toEqual([]);
    expect(JSON.stringify(body)).not.toContain('AWS/DynamoDB');
    expect(JSON.stringify(body)).not.toContain('Table of records');
  });

  it('on rows of one’s own', () => {
    const { stack } = make({
      rows: [
        {
          subject: { kind: 'topic', name: 'x' },
          title: 'Mine',
          graphs: [
            {
              title: 'G',
              unit: 'things',
              metrics: [],
              series: [{ label: 'l', expression: 'TIME_SERIES(1)' }],
              annotations: [],
            },
          ],
        },
      ],
      defaultInterval: Duration.hours(12),
    });
    const body = dashboardsOf(stack).get('alone')!;
    expect(body.widgets.map(({ width }) => width)).toEqual([24, 24]);
    expect(body.start).toBe('-PT12H');
  });

  it('names in texts are filled in when the stack is deployed, and nothing else is', () => {
    const label = literal('LABEL');
    const { stack } = make({
      rows: [
        {
          subject: { kind: 'topic', name: 'x' },
          title: `Mine, in ${Aws.REGION} of ${Aws.ACCOUNT_ID} and ${Aws.REGION}`,
          graphs: [
            { title: 'G', unit: 'u', metrics: [], series: [{ label, expression: '1' }], annotations: [] },
          ],
        },
      ],
    });
    const [heading, graph] = dashboardsOf(stack).get('alone')!.widgets;
    expect(heading!.properties.markdown).toBe(
      '## Mine, in arn:Ref:AWS::Region of arn:Ref:AWS::AccountId and arn:Ref:AWS::Region',
    );
    expect(graph!.properties.metrics).toEqual([[expect.objectContaining({ label })]]);
  });

  it('widgets that are added to it stand below, with what only the deployment knows of them', () => {
    const { stack, made } = make();
    const before = dashboardsOf(stack).get('alone')!.widgets;
    const { stack: other, made: more } = make();
    const queue = new Queue(other, 'Queue');
    more.dashboard.addWidgets(
      new TextWidget({ markdown: `# ${queue.queueName}, \${PROP('Dim.QueueName')}`, width: 24 }),
      new GraphWidget({ left: [queue.metricNumberOfMessagesSent()] }),
    );
    const { widgets, variables } = dashboardsOf(other).get('alone')!;
    expect(made.dashboards).toHaveLength(1);
    expect(variables).toHaveLength(1);
    expect(widgets.slice(0, -2)).toEqual(before);
    const bottom = Math.max(...before.map(({ y, height }) => y + height));
    const [text, graph] = widgets.slice(-2);
    expect(text).toMatchObject({ x: 0, y: bottom });
    expect(text!.properties.markdown).toMatch(
      /^# arn:Fn::GetAtt:Queue\w+QueueName, \$\{PROP\('Dim\.QueueName'\)\}$/,
    );
    expect(graph!.y).toBe(bottom + text!.height);
    expect(JSON.stringify(graph!.properties.metrics)).toContain('arn:Fn::GetAtt:Queue');
  });

  it('widgets are all that a dashboard without rows and alarms has', () => {
    const { stack, made } = make({ rows: [] });
    made.dashboard.addWidgets(new TextWidget({ markdown: literal('LABEL') }));
    const [only, ...others] = dashboardsOf(stack).get('alone')!.widgets;
    expect(only).toMatchObject({ y: 0, properties: { markdown: literal('LABEL') } });
    expect(others).toEqual([]);
  });

  it('composite alarms have a widget of their own, before the others', () => {
    const stack = new Stack(new App(), 'Alone');
    const [alarm] = alarmsIn(stack, 1);
    const page = new CompositeAlarm(stack, 'Page', { alarmRule: AlarmRule.fromBoolean(true) });
    new MessagingDashboard(stack, 'Watch', {
      rows: [],
      physicalName,
      dashboardName: 'a',
      alarms: [alarm!, page],
    });
    const alarms = dashboardsOf(stack)
      .get('a')!
      .widgets.map(({ properties }) => properties.alarms);
    expect(alarms).toEqual([
      [expect.stringContaining('Page')],
      ['arn:aws:cloudwatch:eu-central-1:123456789012:alarm:0'],
    ]);
  });

  it('no alarm widget shows more than a hundred alarms', () => {
    const stack = new Stack(new App(), 'Large');
    new MessagingDashboard(stack, 'Watch', {
      rows: [],
      alarms: alarmsIn(stack, 101),
      physicalName,
      dashboardName: 'Large',
    });
    const { widgets } = dashboardsOf(stack).get('Large')!;
    expect(widgets.map(({ properties }) => properties.alarms?.length)).toEqual([100, 1]);
  });

  it.each(['', 'with space', 'a.b', 'ä', 'x'.repeat(256)])('refuses the name "%s"', (dashboardName) => {
    expect(() => make({ dashboardName })).toThrow(/The dashboard's name is .* allowed are letters/);
  });

  it('takes the longest name, and leaves a name to AWS that only the deployment knows', () => {
    expect(() => make({ dashboardName: 'x'.repeat(255) })).not.toThrow();
    const { stack } = make({ dashboardName: Token.asString({ Ref: 'AWS::StackName' }) });
    expect(JSON.stringify(Template.fromStack(stack).findResources('AWS::CloudWatch::Dashboard'))).toContain(
      '"DashboardName":{"Ref":"AWS::StackName"}',
    );
  });

  it('the number of the last dashboard counts in the length of the name', () => {
    expect(() => make({ rows: manyRows(200), dashboardName: 'x'.repeat(254) })).toThrow(
      `the last one's "${'x'.repeat(254)}-5"`,
    );
  });
});

describe('Two hundred subscribers', () => {
  const stack = new Stack(new App(), 'Large');
  const { dashboards } = new MessagingDashboard(stack, 'Watch', {
    rows: manyRows(200),
    alarms: alarmsIn(stack, 900),
    physicalName,
    recordsTable: 'records',
    dashboardName: 'Large',
  });
  const bodies = dashboardsOf(stack);

  it('are spread over several dashboards with names and ids of their own', () => {
    expect([...bodies.keys()]).toEqual(['Large', 'Large-2', 'Large-3', 'Large-4', 'Large-5']);
    expect(dashboards.map(({ node }) => node.id)).toEqual([
      'Dashboard',
      'Dashboard2',
      'Dashboard3',
      'Dashboard4',
      'Dashboard5',
    ]);
  });

  it('each within the limits of CloudWatch', async () => {
    const aws = createAws();
    try {
      for (const [DashboardName, body] of bodies) {
        const put = { DashboardName, DashboardBody: JSON.stringify(body) };
        expect(await aws.call('cloudwatch', 'PutDashboard', put)).toEqual({
          DashboardValidationMessages: [],
        });
        expect(body.widgets.length).toBeLessThanOrEqual(500);
        const metrics = body.widgets.flatMap(({ properties }) =>
          (properties.metrics ?? []).filter((metric) => typeof metric[0] === 'string'),
        );
        expect(metrics.length).toBeLessThanOrEqual(2_500);
      }
    } finally {
      aws.stop();
    }
  });

  it('show every subscriber once', () => {
    const shown = [...bodies.values()].flatMap(({ widgets }) =>
      widgets.flatMap(({ properties }) => /^## Subscriber (.*)$/.exec(properties.markdown ?? '')?.[1] ?? []),
    );
    expect(shown).toEqual(Array.from({ length: 200 }, (_, index) => `reader-${index}`));
  });

  it('link each to all others by what they hold', () => {
    for (const [name, { widgets }] of bodies) {
      const { markdown = '' } = widgets[0]!.properties;
      const linked = [...markdown.matchAll(/\(#dashboards:name=([\w-]+)\)/g)].map((match) => match[1]);
      expect(linked).toEqual([...bodies.keys()].filter((other) => other !== name));
      expect(markdown).toMatch(/1: overview to reader-\d+/);
    }
  });
});

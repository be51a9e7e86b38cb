import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { milliseconds } from '../../lib/base/index.ts';
import {
  type AwsModel,
  createAws,
  createEndpoint,
  createVirtualClock,
  dashboardRoutes,
  type Endpoint,
} from '../../local/index.ts';
import type { AlarmsView, DashboardView, GraphView } from '../../local/page/index.ts';
import { browserMissing, browserPath, launchBrowser } from '../support/browser.ts';

const start = Date.UTC(2026, 2, 14, 12);
const queue = ['QueueName', 'orders'];
const age = ['AWS/SQS', 'ApproximateAgeOfOldestMessage', ...queue];

/** A body with a widget of each kind, as somebody may deploy it. */
const body = {
  start: '-PT1H',
  periodOverride: 'inherit',
  variables: [
    {
      id: 'period',
      type: 'property',
      property: 'period',
      inputType: 'select',
      label: 'Period',
      defaultValue: '60',
      values: [
        { label: '1 minute', value: '60' },
        { label: '5 minutes', value: '300' },
      ],
    },
    {
      id: 'queue',
      type: 'pattern',
      pattern: 'orders',
      inputType: 'input',
      label: 'Queue',
      defaultValue: 'orders',
    },
  ],
  widgets: [
    {
      type: 'text',
      x: 0,
      y: 0,
      width: 24,
      height: 1,
      properties: {
        markdown:
          '# Shop\n[second](#dashboards:name=Shop-2) [bad](javascript:alert(1)) **bold** <b id="never">raw</b>',
      },
    },
    {
      type: 'metric',
      x: 0,
      y: 1,
      width: 12,
      height: 6,
      properties: {
        title: 'Lag',
        region: 'us-east-1',
        metrics: [[...age, { label: 'age', stat: 'Maximum', period: 60 }]],
        annotations: { horizontal: [{ value: 60, label: 'SLO 60 s' }] },
        yAxis: { left: { label: 'seconds', min: 0 } },
      },
    },
    {
      type: 'metric',
      x: 12,
      y: 1,
      width: 12,
      height: 6,
      properties: {
        title: 'Flow',
        region: 'us-east-1',
        stacked: true,
        metrics: [
          [
            'AWS/SQS',
            'NumberOfMessagesSent',
            ...queue,
            { id: 'sent', visible: false, stat: 'Sum', period: 60 },
          ],
          [
            '.',
            'NumberOfMessagesDeleted',
            '.',
            '.',
            // biome-ignore lint/suspicious/noTemplateCurlyInString: CloudWatch's own placeholder
            { id: 'del', stat: 'Sum', period: 60, label: 'done ${LAST}' },
          ],
          [{ expression: 'FILL(sent, 0) * 2', label: 'twice', period: 60 }],
        ],
      },
    },
    {
      type: 'metric',
      x: 0,
      y: 7,
      width: 6,
      height: 4,
      properties: {
        title: 'Now',
        region: 'us-east-1',
        view: 'singleValue',
        sparkline: true,
        metrics: [[...age, { label: 'oldest', stat: 'Maximum', period: 60 }]],
      },
    },
    {
      type: 'metric',
      x: 6,
      y: 7,
      width: 6,
      height: 4,
      properties: {
        title: 'Found by search',
        region: 'us-east-1',
        metrics: [[{ expression: "SEARCH('{AWS/SQS} x', 'Sum', 60)", period: 60 }]],
      },
    },
    {
      type: 'metric',
      x: 12,
      y: 7,
      width: 6,
      height: 4,
      properties: { title: 'Far', region: 'eu-west-1', metrics: [age] },
    },
    { type: 'explorer', x: 18, y: 7, width: 6, height: 4, properties: { title: 'x' } },
    {
      type: 'alarm',
      x: 0,
      y: 30,
      width: 24,
      height: 2,
      properties: {
        title: 'Alarms',
        sortBy: 'stateUpdatedTimestamp',
        alarms: ['calm', 'loud', 'page', 'gone'].map(
          (name) => `arn:aws:cloudwatch:us-east-1:000000000000:alarm:${name}`,
        ),
      },
    },
  ],
};

async function deployed() {
  const clock = createVirtualClock(milliseconds(start));
  const aws = createAws({ clock });
  const call = (action: string, input: object) => aws.call('cloudwatch', action, input);
  const count = (name: string, value: number) =>
    aws.cloudwatch.metrics.count('AWS/SQS', name, { QueueName: 'orders' }, value);
  for (let minute = 0; minute < 60; minute++) {
    count('ApproximateAgeOfOldestMessage', minute === 59 ? 75 : minute);
    if (minute % 2 === 0) count('NumberOfMessagesSent', 10);
    count('NumberOfMessagesDeleted', 5);
    await clock.advance(milliseconds(60_000));
  }
  for (const AlarmName of ['calm', 'loud'])
    await call('PutMetricAlarm', {
      AlarmName,
      Namespace: 'AWS/SQS',
      MetricName: 'ApproximateAgeOfOldestMessage',
      Dimensions: [{ Name: 'QueueName', Value: 'orders' }],
      Statistic: 'Maximum',
      Period: 60,
      EvaluationPeriods: 1,
      Threshold: 1_000,
      ComparisonOperator: 'GreaterThanThreshold',
    });
  await call('PutCompositeAlarm', { AlarmName: 'page', AlarmRule: 'ALARM("loud")' });
  await call('SetAlarmState', { AlarmName: 'calm', StateValue: 'OK', StateReason: 'well' });
  await call('SetAlarmState', { AlarmName: 'loud', StateValue: 'ALARM', StateReason: 'too old' });
  for (const DashboardName of ['Shop', 'Shop-2'])
    await call('PutDashboard', { DashboardName, DashboardBody: JSON.stringify(body) });
  return aws;
}

let aws: AwsModel;
let endpoint: Endpoint;
let root: string;
beforeAll(async () => {
  aws = await deployed();
  endpoint = await createEndpoint(aws, { port: 0, routes: dashboardRoutes(() => aws) });
  root = `${endpoint.url}/_sluice/dashboards/`;
});
afterAll(async () => {
  await endpoint.close();
  aws.stop();
});

const view = async (query = ''): Promise<DashboardView> =>
  (await (await fetch(`${root}Shop/view${query}`)).json()) as DashboardView;
const graph = async (title: string, query = ''): Promise<GraphView> =>
  (await view(query)).widgets.find((each) => each.kind === 'graph' && each.title === title) as GraphView;

describe('A deployed dashboard as the page gets it', () => {
  it('has the points of the model, minute by minute, up to the last whole minute', async () => {
    const { start: from, end } = await view();
    expect([from, end]).toEqual([start, start + 3_600_000]);
    const lag = await graph('Lag');
    expect(lag).toMatchObject({
      view: 'lines',
      axes: { left: { label: 'seconds', min: 0 } },
      lines: [{ value: 60, label: 'SLO 60 s', axis: 'left' }],
    });
    expect(lag.series).toHaveLength(1);
    expect(lag.series[0]).toMatchObject({ label: 'age', start, step: 60_000 });
    expect(lag.series[0]!.values).toEqual([...Array.from({ length: 59 }, (_, minute) => minute), 75]);
  });

  it('has expressions, what is hidden left out, and labels with values in them', async () => {
    const { series, view: kind } = await graph('Flow');
    expect(kind).toBe('stacked');
    expect(series.map(({ label }) => label)).toEqual(['done 5', 'twice']);
    expect(series[1]!.values.slice(0, 4)).toEqual([20, 0, 20, 0]);
  });

  it('a gap stays a gap', async () => {
    const { series } = await graph('Lag', '?range=PT2H');
    expect(series[0]!.values.slice(58, 62)).toEqual([null, null, 0, 1]);
  });

  it('the variable of the period sets every metric’s, and an expression follows', async () => {
    const { series } = await graph('Flow', '?var.period=300');
    expect(series.map(({ step }) => step)).toEqual([300_000, 300_000]);
    expect(series[1]!.values[0]).toBe(60);
  });

  it('a pattern puts another text into the body', async () => {
    const { series } = await graph('Lag', '?var.queue=nobody');
    expect(new Set(series[0]!.values)).toEqual(new Set([null]));
  });

  it('a period is set from outside where the dashboard has no variable for it', async () => {
    expect((await graph('Lag', '?period=900')).series[0]!.step).toBe(900_000);
  });

  it('alarms stand with their states, those in alarm first, and one that is not there says so', async () => {
    const alarms = (await view()).widgets.find(({ kind }) => kind === 'alarms') as AlarmsView;
    expect(alarms.alarms.map(({ name, state, composite }) => [name, state, composite])).toEqual([
      ['loud', 'ALARM', false],
      ['page', 'ALARM', true],
      ['calm', 'OK', false],
      ['gone', undefined, false],
    ]);
  });

  it('what is not drawn says why, and the rest is', async () => {
    const { widgets } = await view();
    expect(widgets.find(({ kind }) => kind === 'unknown')).toMatchObject({ type: 'explorer' });
    expect((await graph('Found by search')).trouble).toContain('SEARCH');
    expect((await graph('Far')).trouble).toBe(
      'These metrics are of eu-west-1; only those of us-east-1 are shown here.',
    );
  });

  it('widgets close up as CloudWatch closes them', async () => {
    expect((await view()).widgets.map(({ y }) => y)).toEqual([0, 1, 1, 7, 7, 7, 7, 11]);
  });

  it('a name that nobody deployed is not found', async () => {
    const answer = await fetch(`${root}None/view`);
    expect([answer.status, await answer.json()]).toEqual([404, { message: 'Dashboard None does not exist' }]);
    expect((await fetch(`${root}Shop/view/more`)).status).toBe(404);
    expect((await fetch(`${root}Shop/other`)).status).toBe(404);
  });

  it('a look uses up no fault that is planned for callers', async () => {
    const own = createAws({
      clock: createVirtualClock(),
      faults: [{ service: 'cloudwatch', action: 'ListDashboards', effect: { error: { name: 'Planned' } } }],
    });
    const other = await createEndpoint(own, { port: 0, routes: dashboardRoutes(() => own) });
    try {
      const list = await fetch(`${other.url}/_sluice/dashboards/list.json`);
      expect(await list.json()).toEqual({ names: [] });
      await expect(async () => own.call('cloudwatch', 'ListDashboards', {})).rejects.toThrow('Planned');
    } finally {
      await other.close();
      own.stop();
    }
  });
});

if (browserPath === undefined && !process.env.CI) console.warn(browserMissing);

describe.skipIf(browserPath === undefined && !process.env.CI)('A deployed dashboard, in a browser', () => {
  let browser: Browser;
  let page: Page;
  const complaints: string[] = [];
  /** Waits by a locator: the page's own policy forbids to evaluate texts in it. */
  const shows = (text: string) => page.locator('#shown').filter({ hasText: text }).waitFor();
  beforeAll(async () => {
    browser = await launchBrowser();
    page = await browser.newPage({ viewport: { width: 1280, height: 900 }, timezoneId: 'UTC' });
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(String(error)));
    await page.goto(`${root}Shop?refresh=0`);
    await page.waitForSelector('.widget.graph canvas');
  }, 60_000);
  afterAll(() => browser?.close());

  it('tells the newest values, and that the SLO is broken', async () => {
    const lag = page.locator('.widget', { hasText: 'Lag' });
    expect(await lag.locator('.legend').textContent()).toBe('age 75');
    expect(await lag.locator('.over').textContent()).toBe('above SLO 60 s');
    expect(await lag.locator('.plot').getAttribute('aria-label')).toBe('Lag, newest: age 75');
    expect(await page.locator('.numbers').textContent()).toContain('oldest75');
    expect(await page.locator('.states li').allTextContents()).toEqual([
      'loudALARM',
      'pageALARM',
      'calmOK',
      'gonenot found',
    ]);
    expect(await page.textContent('#shown')).toContain('12:00 to 14 Mar');
  });

  it('draws the line and the mark of the SLO', async () => {
    /** How many pixels of the chart have about that colour. */
    const pixels = (color: readonly [number, number, number]) =>
      page.evaluate(
        `(([r, g, b]) => {
          const canvas = [...document.querySelectorAll('.widget')].find((each) => each.textContent.startsWith('Lag')).querySelector('canvas');
          const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
          let count = 0;
          for (let at = 0; at < data.length; at += 4)
            if (data[at + 3] > 150 && Math.abs(data[at] - r) + Math.abs(data[at + 1] - g) + Math.abs(data[at + 2] - b) < 40) count++;
          return count;
        })(${JSON.stringify(color)})`,
      );
    expect(await pixels([0xc6, 0x28, 0x28])).toBeGreaterThan(50);
    expect(await pixels([0x1f, 0x6f, 0xeb])).toBeGreaterThan(50);
  });

  it('lays widgets out in the 24 columns', async () => {
    const boxOf = async (text: string) => {
      const box = await page.locator('.widget.graph', { hasText: text }).boundingBox();
      if (box === null) throw new Error(`${text} is not shown`);
      return box;
    };
    const [left, right] = [await boxOf('Lag'), await boxOf('Flow')];
    expect(right.y).toBe(left.y);
    expect(right.x).toBeGreaterThan(left.x + left.width);
    expect(Math.abs(right.width - left.width)).toBeLessThan(2);
  });

  it('shows Markdown as elements and all else as text', async () => {
    const text = page.locator('.widget.text');
    expect(await text.locator('h2').textContent()).toBe('Shop');
    expect(
      await text.locator('a').evaluateAll((links) => links.map((each) => each.getAttribute('href'))),
    ).toEqual(['Shop-2']);
    expect(await text.locator('strong').textContent()).toBe('bold');
    expect(await text.textContent()).toContain('<b id="never">raw</b>');
    expect(await page.locator('#never').count()).toBe(0);
  });

  it('a kind of widget that it does not know is a box that says so', async () => {
    expect(await page.locator('.widget.unknown').allTextContents()).toEqual([
      expect.stringContaining('SEARCH'),
      expect.stringContaining('eu-west-1'),
      'explorerWidgets of the type explorer are not drawn here; CloudWatch draws them.',
    ]);
  });

  it('draws the time and the period that are chosen, and keeps them in the address', async () => {
    await page.getByLabel('Period').selectOption('300');
    await page.getByLabel('Time').selectOption('PT15M');
    await shows('12:45');
    expect(new URL(page.url()).search).toBe('?refresh=0&var.period=300&range=PT15M');
    await page.reload();
    await shows('12:45');
    expect(await page.getByLabel('Period').inputValue()).toBe('300');
  });

  it('lists what is deployed, and leads there', async () => {
    await page.goto(root);
    await page.getByRole('link', { name: 'Shop-2' }).click();
    await page.waitForSelector('.widget.graph canvas');
    expect(await page.textContent('#title')).toBe('Shop-2');
  });

  it('a choice that the list was opened with holds for what is opened from it', async () => {
    await page.goto(`${root}?range=PT15M`);
    await page.getByRole('link', { name: 'Shop', exact: true }).click();
    await shows('12:45');
  });

  it('is readable at the width of a phone, light and dark', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const phone = await browser.newPage({ viewport: { width: 390, height: 800 }, colorScheme });
      await phone.goto(`${root}Shop?refresh=0`);
      await phone.waitForSelector('.widget.graph canvas');
      const overflow = await phone.evaluate('document.documentElement.scrollWidth - window.innerWidth');
      expect(overflow).toBeLessThanOrEqual(0);
      await phone.close();
    }
  });

  it('says so when there is no such dashboard', async () => {
    await page.goto(`${root}None?refresh=0`);
    await page.waitForSelector('#trouble:not([hidden])');
    expect(await page.textContent('#trouble')).toContain('Dashboard None does not exist');
  });

  it('has no complaint in the console but that one', () => {
    expect(complaints).toEqual([expect.stringContaining('404')]);
  });
});

import { describe, expect, it } from 'vitest';
import { cloudWatchOnVirtualClock } from './fixture.ts';

const text = { type: 'text', properties: { markdown: 'hello' } };
const metric = (properties: object) => ({ type: 'metric', properties });
const lag = ['AWS/SQS', 'ApproximateAgeOfOldestMessage', 'QueueName', 'orders'];
const variable = (fields: object) => ({
  widgets: [],
  variables: [{ id: 'v', type: 'property', property: 'period', inputType: 'input', ...fields }],
});

function put(body: unknown): { readonly path: string | undefined; readonly message: string | undefined }[] {
  const model = cloudWatchOnVirtualClock();
  try {
    model.call('PutDashboard', { DashboardName: 'orders', DashboardBody: JSON.stringify(body) });
    return [];
  } catch (error) {
    const { members } = error as {
      members?: { dashboardValidationMessages?: { DataPath?: string; Message?: string }[] };
    };
    return (members?.dashboardValidationMessages ?? []).map(({ DataPath, Message }) => ({
      path: DataPath,
      message: Message,
    }));
  }
}

describe('A dashboard is taken', () => {
  it.each<[string, unknown]>([
    ['that is empty', { widgets: [] }],
    [
      'with metrics in short',
      { widgets: [metric({ metrics: [lag, ['.', 'NumberOfMessagesSent', '.', '.'], ['...', 'other']] })] },
    ],
    [
      'with an expression',
      { widgets: [metric({ metrics: [[...lag, { id: 'a' }], [{ expression: 'a * 2', id: 'b' }]] })] },
    ],
    [
      'with an alarm alone',
      { widgets: [metric({ annotations: { alarms: ['arn:aws:cloudwatch:x:1:alarm:a'] } })] },
    ],
    [
      'with a band',
      { widgets: [metric({ metrics: [lag], annotations: { horizontal: [[{ value: 1 }, { value: 2 }]] } })] },
    ],
    [
      'with every kind of variable',
      {
        widgets: [],
        variables: [
          { id: 'a', type: 'property', property: 'region', inputType: 'select', values: [{ value: 'x' }] },
          { id: 'b', type: 'pattern', pattern: 'x', inputType: 'input' },
          {
            id: 'c',
            type: 'property',
            property: 'QueueName',
            inputType: 'radio',
            search: '{AWS/SQS,QueueName}',
            populateFrom: 'QueueName',
          },
        ],
      },
    ],
    ['with 500 widgets', { widgets: Array(500).fill(text) }],
    ['with 500 metrics in a widget', { widgets: [metric({ metrics: Array(500).fill(lag) })] }],
    ['with 2,500 metrics', { widgets: Array(5).fill(metric({ metrics: Array(500).fill(lag) })) }],
  ])('%s', (_, body) => {
    expect(put(body)).toEqual([]);
  });
});

describe('A dashboard is refused with the place of each fault', () => {
  it.each<[string, unknown]>([
    ['/widgets', { widgets: Array(501).fill(text) }],
    ['/widgets', { widgets: Array(6).fill(metric({ metrics: Array(417).fill(lag) })) }],
    ['/widgets/0/properties/metrics', { widgets: [metric({ metrics: Array(501).fill(lag) })] }],
    [
      '/widgets/0/properties/alarms',
      { widgets: [{ type: 'alarm', properties: { alarms: Array(101).fill('arn:x') } }] },
    ],
    ['/widgets/0/properties/alarms', { widgets: [{ type: 'alarm', properties: {} }] }],
    [
      '/widgets/0/properties/alarms/0',
      { widgets: [{ type: 'alarm', properties: { alarms: ['orders-A-lag'] } }] },
    ],
    ['/widgets/0/properties/markdown', { widgets: [{ type: 'text', properties: {} }] }],
    ['/widgets/0/properties', { widgets: [metric({})] }],
    ['/widgets/0/properties/view', { widgets: [metric({ metrics: [], view: 'line' })] }],
    ['/widgets/0/properties/period', { widgets: [metric({ metrics: [], period: 61 })] }],
    ['/widgets/0/properties/metrics/0/period', { widgets: [metric({ metrics: [[...lag, { period: 7 }]] })] }],
    ['/widgets/0/properties/metrics/0/id', { widgets: [metric({ metrics: [[...lag, { id: 'Lag' }]] })] }],
    [
      '/widgets/0/properties/metrics/1/id',
      {
        widgets: [
          metric({
            metrics: [
              [...lag, { id: 'a' }],
              [...lag, { id: 'a' }],
            ],
          }),
        ],
      },
    ],
    ['/widgets/0/properties/metrics/0', { widgets: [metric({ metrics: [['AWS/SQS']] })] }],
    ['/widgets/0/properties/metrics/0', { widgets: [metric({ metrics: [['AWS/SQS', 'x', 'QueueName']] })] }],
    ['/widgets/0/properties/metrics/0', { widgets: [metric({ metrics: ['AWS/SQS'] })] }],
    [
      '/widgets/0/properties/metrics/0',
      { widgets: [metric({ metrics: [['AWS/SQS', { expression: 'a' }]] })] },
    ],
    [
      '/widgets/0/properties/annotations/horizontal/0',
      { widgets: [metric({ metrics: [], annotations: { horizontal: [{ label: 'SLO' }] } })] },
    ],
    ['/widgets/0/x', { widgets: [{ ...text, x: 24, y: 0 }] }],
    ['/widgets/0/width', { widgets: [{ ...text, width: 0 }] }],
    ['/widgets/0/height', { widgets: [{ ...text, height: 1_001 }] }],
    ['/widgets/0', { widgets: [{ ...text, x: 3 }] }],
    ['/periodOverride', { widgets: [], periodOverride: 'always' }],
    ['/start', { widgets: [], start: 3 }],
    ['/end', { widgets: [], end: '2026-01-01T00:00:00Z' }],
    ['/variables', { widgets: [], variables: {} }],
    ['/variables/0', { widgets: [], variables: ['period'] }],
    ['/variables/0/id', variable({ id: '' })],
    ['/variables/0/type', variable({ type: 'other' })],
    ['/variables/0/property', variable({ property: undefined })],
    ['/variables/0/pattern', variable({ type: 'pattern', pattern: '(' })],
    ['/variables/0/inputType', variable({ inputType: 'box' })],
    ['/variables/0', variable({ inputType: 'select' })],
    ['/variables/0/populateFrom', variable({ inputType: 'select', search: '{AWS/SQS,QueueName}' })],
  ])('%s', (path, body) => {
    expect(put(body).map((fault) => fault.path)).toEqual([path]);
  });

  it('all faults at once, in the answer of CloudWatch', () => {
    expect(
      put({
        widgets: [
          { type: 'graph', properties: {} },
          { type: 'text', properties: {} },
        ],
      }),
    ).toEqual([
      { path: '/widgets/0/type', message: expect.stringContaining('found "graph"') },
      { path: '/widgets/1/properties/markdown', message: 'A text is required; found nothing' },
    ]);
  });
});

import fc from 'fast-check';
import { defineMessaging, event, type SubscriberDeclaration, seconds } from 'sluice';
import * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import {
  AlarmError,
  type AlarmNaming,
  alarmsOf,
  type CompositeAlarmDefinition,
  type CompositeRule,
  type MetricAlarmDefinition,
  type MetricDefinition,
  queueMetrics,
  subscriberAlarms,
  validateAlarm,
  validateAlarms,
} from '../../lib/monitoring/index.ts';
import { cloudWatchOnVirtualClock } from '../model/cloudwatch/fixture.ts';
import { compositeInput, metricInput } from '../support/alarm-inputs.ts';

const full = subscriberAlarms({ name: 'it', lag: seconds(60), fifo: true, concurrency: 8, alarms: 'full' });
const growth = full.find(({ id }) => id === 'B') as MetricAlarmDefinition;
const page = full.find(({ key }) => key === 'it-L-page') as CompositeAlarmDefinition;

const faultsOf = (definition: MetricAlarmDefinition | CompositeAlarmDefinition, naming?: AlarmNaming) => {
  try {
    validateAlarm(definition, naming);
  } catch (error) {
    if (error instanceof AlarmError) return error.faults.map(({ property }) => property);
    throw error;
  }
  return [];
};

const copies = (count: number): MetricDefinition[] =>
  Array.from({ length: count }, (_, index) => ({ ...queueMetrics.visible('it'), id: `m${index}` }));
const calm = { ...growth, metrics: copies(2), expression: 'm0 + m1', period: seconds(60) };
const many = (count: number, prefix = 'a'): CompositeRule[] =>
  Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
/** Each is an alarm in two pairs of parentheses. */
const nested = (count: number): CompositeRule[] => many(count).map((key) => ({ all: [{ any: [key] }] }));

describe('An alarm that CloudWatch refuses is told before it is made', () => {
  it.each<[string, Partial<MetricAlarmDefinition>, string[]]>([
    ['nothing is wrong with it', {}, []],
    ['ten metrics', { metrics: copies(10) }, []],
    ['eleven metrics', { metrics: copies(11) }, ['metrics']],
    ['no metric', { metrics: [], expression: 'TIME_SERIES(1)' }, ['metrics']],
    ['an id in upper case', { metrics: [{ ...copies(1)[0]!, id: 'M' }], expression: 'M' }, ['metrics']],
    ['an id twice', { metrics: [...copies(2), ...copies(1)] }, ['metrics']],
    ['metrics by another period', { period: seconds(300) }, ['metrics', 'metrics']],
    ['an id that it has not', { expression: 'm0 + sent' }, ['expression']],
    ['a list', { expression: '[m0, m1]' }, ['expression']],
    ['a number', { expression: '1 + 1' }, ['expression']],
    ['the number of a series', { expression: 'PERIOD(m0)' }, ['expression']],
    ['a sum of one series', { expression: 'SUM(m0)' }, ['expression']],
    ['a sum of several', { expression: 'SUM([m0, m1])' }, []],
    ['a function that alarms have not', { expression: 'RUNNING_SUM(m0)' }, ['expression']],
    ['another', { expression: 'm0 + REMOVE_EMPTY(m1)' }, ['expression']],
    ['a search', { expression: 'SUM([SEARCH(m0)])' }, ['expression']],
    ['a function in lower case', { expression: 'fill(m0, 0)' }, ['expression']],
    ['brackets that stay open', { expression: 'IF(m0 > 0, 1' }, ['expression']],
    ['two operators', { expression: 'm0 > > m1' }, ['expression']],
    ['what is no number', { expression: `m0 > ${Number.NaN}` }, ['expression']],
    ['a number with an exponent', { expression: `m0 > ${1e-7}` }, ['expression']],
    [
      'an expression of 2,049 characters',
      { expression: `m0${' '.repeat(2046)}+` },
      ['expression', 'expression'],
    ],
    ['a threshold that is no number', { threshold: Number.NaN }, ['threshold']],
    ['M above N', { datapointsToAlarm: 4 }, ['datapointsToAlarm']],
    ['half a period', { datapointsToAlarm: 1.5 }, ['datapointsToAlarm']],
    ['no period', { evaluationPeriods: 0, datapointsToAlarm: 1 }, ['evaluationPeriods', 'datapointsToAlarm']],
    ['a day by the minute', { evaluationPeriods: 1440 }, []],
    ['a minute more', { evaluationPeriods: 1441 }, ['evaluationPeriods']],
    ['a long title', { title: 'x'.repeat(1024) }, ['title']],
  ])('%s', (_, change, properties) => {
    expect(faultsOf({ ...calm, ...change })).toEqual(properties);
  });

  it('a week by the hour, and not an hour more', () => {
    const metrics = copies(2).map((metric) => ({ ...metric, period: seconds(3600) }));
    const hourly = { ...calm, metrics, period: seconds(3600), evaluationPeriods: 168 };
    expect(faultsOf(hourly)).toEqual([]);
    expect(faultsOf({ ...hourly, evaluationPeriods: 169 })).toEqual(['evaluationPeriods']);
  });

  it.each<[string, Partial<CompositeAlarmDefinition>, string[]]>([
    ['nothing is wrong with it', {}, []],
    ['no member', { rule: { any: [] } }, ['rule']],
    ['a part without one', { rule: { any: ['a', { all: [] }] } }, ['rule']],
    ['a hundred members', { rule: { any: many(100) } }, []],
    ['one more', { rule: { any: many(101) } }, ['rule']],
    ['10,240 characters', { rule: { any: many(60, 'x'.repeat(150)) } }, ['rule']],
    ['itself', { rule: 'it-L-page' }, ['rule']],
    ['held back by itself', { suppressor: { ...page.suppressor!, key: 'it-L-page' } }, ['rule']],
    [
      'a wait below nothing',
      { suppressor: { ...page.suppressor!, wait: seconds(-1), extension: seconds(0.5) } },
      ['suppressor.wait', 'suppressor.extension'],
    ],
    ['497 alarms and parentheses', { rule: { any: nested(99) } }, []],
    ['502 of them', { rule: { any: nested(100) } }, ['rule']],
  ])('a composite: %s', (_, change, properties) => {
    expect(faultsOf({ ...page, ...change })).toEqual(properties);
  });

  it('a name of 256 characters', () => {
    expect(faultsOf(calm, { nameOf: () => 'x'.repeat(255) })).toEqual([]);
    expect(faultsOf(calm, { nameOf: () => 'x'.repeat(256) })).toEqual(['name']);
  });

  it('all faults of all alarms in one error, each with what was found, what is allowed and what to do', () => {
    const wrong = [
      { ...calm, key: 'a', datapointsToAlarm: 4, expression: 'SUM(m0)' },
      { ...calm, key: 'a' },
      { ...page, key: 'b', rule: { any: ['a', 'c'] }, suppressor: undefined },
      { ...calm, key: 'c' },
    ];
    expect(() => validateAlarms(wrong)).toThrow(AlarmError);
    let message = '';
    try {
      validateAlarms(wrong);
    } catch (error) {
      message = (error as AlarmError).message;
    }
    expect(message.split('\n')).toEqual([
      'CloudWatch does not take these alarms:',
      '  - a, expression: found SUM(m0) (SUM of one series is not allowed in alarms: give it a list, SUM([a, b])); allowed: one series by functions that alarms may use. Rewrite it.',
      '  - a, datapointsToAlarm: found 4; allowed: a whole number from 1 to evaluationPeriods, 3. M of N: lower M, or raise N.',
      '  - a, key: found a; allowed: each key once. Rename the subscriber or topic, or leave one out.',
      '  - b, rule: found c; allowed: alarms that come before it. Put that alarm first, or leave it out of the rule.',
    ]);
  });
});

const within = (least: number, most: number) =>
  fc.oneof(fc.constant(least), fc.constant(most), fc.integer({ min: least, max: most }));
const maybe = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: undefined });
const said = (record: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));

const declarations = fc
  .record({
    fifo: fc.boolean(),
    alarms: fc.constantFrom('lean', 'full', undefined),
    lag: fc.oneof(within(1, 345_600), fc.double({ min: 1, max: 86_400, noNaN: true })),
    timeout: maybe(within(1, 900)),
    concurrency: maybe(within(2, 100)),
    traffic: maybe(fc.oneof(fc.double({ min: 0, max: 1e6, noNaN: true }), within(0, 1_000_000))),
    retention: maybe(within(691_200, 1_209_600)),
    deadLetterRetention: fc.constant(1_209_600),
    filter: maybe(fc.boolean()),
  })
  .map(({ fifo, ...more }) => ({
    ...said({ ...more, fifo }),
    on: [fifo ? 'placed' : 'told'],
    handler: 'it.ts',
  }));

describe('CloudWatch takes every alarm of every declaration', () => {
  it('by the rules here, and by those of the model', () => {
    fc.assert(
      fc.property(declarations, (declaration) => {
        const messaging = defineMessaging({
          name: 'shop',
          topics: { orders: { fifo: true }, news: {} },
          events: {
            placed: event({ topic: 'orders', schema: v.object({}) }),
            told: event({ topic: 'news', schema: v.object({}) }),
          },
          subscribers: { it: declaration as unknown as SubscriberDeclaration<'placed' | 'told'> },
        });
        const definitions = alarmsOf(messaging);
        validateAlarms(definitions, { nameOf: (key) => `${'S'.repeat(128)}-${key}` });
        const { call, cloudwatch } = cloudWatchOnVirtualClock();
        for (const alarm of definitions)
          if (alarm.kind === 'metric')
            call(
              'PutMetricAlarm',
              metricInput(alarm, ({ kind }) => kind),
            );
          else call('PutCompositeAlarm', compositeInput(alarm));
        expect(cloudwatch.alarms()).toHaveLength(definitions.length);
        cloudwatch.stop();
      }),
      { numRuns: 100 },
    );
  });

  it('and of every queue that somebody describes', () => {
    fc.assert(
      fc.property(
        fc.record({
          name: fc.constant('it'),
          lag: fc.double({ min: 1, max: 1_209_600, noNaN: true }).map(seconds),
          alarms: fc.constantFrom('lean' as const, 'full' as const),
          fifo: fc.boolean(),
          concurrency: maybe(fc.integer({ min: 1, max: 100_000 })),
          handlerTime: fc.double({ min: 0, max: 1e7, noNaN: true }).map(seconds),
          retention: fc.double({ min: 60, max: 1_209_600, noNaN: true }).map(seconds),
          traffic: maybe(fc.double({ min: 0, max: 1e9, noNaN: true })),
        }),
        (watched) => validateAlarms(subscriberAlarms(watched)),
      ),
      { numRuns: 200 },
    );
  });

  it('what is no number is told', () => {
    expect(() =>
      validateAlarms(subscriberAlarms({ name: 'it', lag: seconds(Number.NaN), alarms: 'full' })),
    ).toThrow(/it-A-lag, threshold: found NaN/);
  });
});

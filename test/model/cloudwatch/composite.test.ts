import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { milliseconds } from '../../../lib/base/index.ts';
import type { AlarmState } from '../../../local/cloudwatch/alarm-state.ts';
import { parseRule } from '../../../local/cloudwatch/composite-rule.ts';
import { cloudWatchOnVirtualClock, TOPIC } from './fixture.ts';

const states: Readonly<Record<string, AlarmState>> = { a: 'ALARM', b: 'OK', c: 'INSUFFICIENT_DATA' };
const holds = (rule: string) => parseRule(rule).holds((name) => states[name]!);

describe('The rule of a composite alarm', () => {
  it.each([
    ['ALARM(a)', true],
    ['ALARM("b")', false],
    ['INSUFFICIENT_DATA(arn:aws:cloudwatch:eu-central-1:123456789012:alarm:c)', true],
    ['NOT ALARM(b) AND ALARM(a)', true],
    ['NOT (ALARM(b) OR ALARM(a))', false],
    ['ALARM(a) OR ALARM(b) AND FALSE', true],
    ['AT_LEAST(2, ALARM, (a, b, c))', false],
    ['AT_LEAST(2, NOT ALARM, (a, b, c))', true],
    ['AT_LEAST(34%, OK, (a, b, c))', false],
    ['AT_LEAST(33%, OK, (a, b, c))', true],
    ['  TRUE  ', true],
  ])('%s is %s', (rule, expected) => expect(holds(rule)).toBe(expected));

  it.each([
    ['', /found 'the end'/],
    ['ALARM(', /the name or ARN of an alarm/],
    ['ALARM(a) ALARM(b)', /expected AND, OR or the end/],
    ['ALARM("a)', /quotation mark is not closed/],
    ['AT_LEAST(4, ALARM, (a, b))', /AT_LEAST asks for 4 of 2 alarms/],
    ['AT_LEAST(0, ALARM, (a))', /AT_LEAST asks for 0 of 1/],
    [Array.from({ length: 101 }, (_, index) => `ALARM(n${index})`).join(' OR '), /100 alarms/],
    [Array.from({ length: 501 }, () => 'TRUE').join(' OR '), /500 elements/],
    ['TRUE OR '.repeat(2_000), /10240 characters/],
  ])('%.40s is refused', (rule, reason) => expect(() => parseRule(rule)).toThrow(reason));

  it('means what its parts mean, however they are nested', () => {
    type Tree = { text: string; value: boolean };
    const leaf: fc.Arbitrary<Tree> = fc.constantFrom(
      ...Object.entries(states).flatMap(([name, state]) =>
        (['OK', 'ALARM', 'INSUFFICIENT_DATA'] as const).map((one) => ({
          text: `${one}(${name})`,
          value: one === state,
        })),
      ),
    );
    const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        leaf,
        tie('tree').map(({ text, value }) => ({ text: `NOT (${text})`, value: !value })),
        fc.tuple(tie('tree'), tie('tree')).map(([one, other]) => ({
          text: `(${one.text}) AND (${other.text})`,
          value: one.value && other.value,
        })),
        fc.tuple(tie('tree'), tie('tree')).map(([one, other]) => ({
          text: `(${one.text} OR ${other.text})`,
          value: one.value || other.value,
        })),
      ),
    }));
    // An OR of texts that are no unit by themselves would bind otherwise: each part stands in parentheses or alone.
    fc.assert(
      fc.property(tree, ({ text, value }) => {
        expect(holds(`(${text})`)).toBe(value);
      }),
      { numRuns: 300 },
    );
  });
});

describe('A composite alarm', () => {
  const put = (
    world: ReturnType<typeof cloudWatchOnVirtualClock>,
    AlarmName: string,
    StateValue: AlarmState,
  ) => world.call('SetAlarmState', { AlarmName, StateValue, StateReason: 'test' });
  const composite = (
    world: ReturnType<typeof cloudWatchOnVirtualClock>,
    AlarmRule: string,
    more: object = {},
  ) => world.call('PutCompositeAlarm', { AlarmName: 'all', AlarmRule, AlarmActions: [TOPIC], ...more });
  const stateOf = (world: ReturnType<typeof cloudWatchOnVirtualClock>, name: string) =>
    world.cloudwatch.alarms().find((each) => each.name === name)?.state;

  it('is followed once around a circle, and no further', () => {
    const world = cloudWatchOnVirtualClock();
    world.alarm({ AlarmName: 'a' });
    composite(world, 'ALARM(a)');
    world.call('PutCompositeAlarm', { AlarmName: 'other', AlarmRule: 'ALARM(all)' });
    composite(world, 'ALARM(a) OR ALARM(other)');
    put(world, 'a', 'ALARM');
    expect([stateOf(world, 'all'), stateOf(world, 'other')]).toEqual(['ALARM', 'ALARM']);
    world.cloudwatch.stop();
  });

  it('changes when a metric alarm of its rule is evaluated', async () => {
    const world = cloudWatchOnVirtualClock();
    world.alarm({ AlarmName: 'a' });
    composite(world, 'ALARM(a)');
    await world.minutes(1, () =>
      world.call('PutMetricData', { Namespace: 'test', MetricData: [{ MetricName: 'metric', Value: 1 }] }),
    );
    expect(stateOf(world, 'all')).toBe('ALARM');
    expect(world.changes.map(({ name, to }) => `${name} ${to}`)).toEqual(['all OK', 'a ALARM', 'all ALARM']);
    world.cloudwatch.stop();
  });

  it('runs nothing when it is back before its suppression ends', async () => {
    const world = cloudWatchOnVirtualClock();
    for (const AlarmName of ['a', 'quiet']) world.alarm({ AlarmName });
    composite(world, 'ALARM(a)', {
      ActionsSuppressor: 'quiet',
      ActionsSuppressorWaitPeriod: 5,
      ActionsSuppressorExtensionPeriod: 5,
    });
    put(world, 'a', 'ALARM');
    put(world, 'a', 'OK');
    await world.clock.advance(milliseconds(10_000));
    expect(world.sent).toEqual([]);
    put(world, 'a', 'ALARM');
    await world.clock.advance(milliseconds(6_000));
    expect(world.sent.map(({ subject }) => subject)).toEqual([expect.stringContaining('ALARM: "all"')]);
    world.cloudwatch.stop();
  });
});

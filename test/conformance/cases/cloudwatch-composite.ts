import { equal, ok } from 'node:assert/strict';
import { DeleteAlarmsCommand, DescribeAlarmsCommand } from '@aws-sdk/client-cloudwatch';
import { type ConformanceCase, group } from '../case.ts';
import type { World } from '../world.ts';
import { alarm, comesTo, composite, described, inbox, put, stateOf } from './kit/cloudwatch.ts';
import { refused } from './kit/refusal.ts';

const putting = 'CloudWatch API reference, PutCompositeAlarm';
const suppression = 'CloudWatch user guide, "Alarm suppression"';
const wrong = {
  name: ['ValidationException', 'ValidationError', 'InvalidParameterValueException', 'InvalidParameterValue'],
} as const;

/** Two alarms, `a` and `b`. */
const pair = async (world: World) => ({ a: await alarm(world), b: await alarm(world) });

/** A rule over alarms `a` (in ALARM) and `b` (in OK), and what it comes to. */
const rule = (
  name: string,
  title: string,
  text: (a: string, b: string) => string,
  expected: 'ALARM' | 'OK',
  says: string,
): ConformanceCase => ({
  name,
  title,
  source: { page: putting, says },
  async run(world) {
    const { a, b } = await pair(world);
    await put(world, a, 'ALARM');
    await put(world, b, 'OK');
    await comesTo(world, await composite(world, text(a, b)), expected);
  },
});

/** A rule that is refused. */
const refusal = (name: string, title: string, text: string, says: string): ConformanceCase => ({
  name,
  title,
  source: { page: putting, says },
  async run(world) {
    await refused(`the rule ${text.slice(0, 60)}`, wrong, () => composite(world, text));
  },
});

/** A composite alarm on one child, with a suppressor. */
async function suppressed(world: World, wait: number, extension: number) {
  const { a: child, b: suppressor } = await pair(world);
  const { topicArn, read } = await inbox(world);
  await put(world, child, 'OK');
  await put(world, suppressor, 'OK');
  const name = await composite(world, `ALARM("${child}")`, {
    AlarmActions: [topicArn],
    ActionsSuppressor: suppressor,
    ActionsSuppressorWaitPeriod: wait,
    ActionsSuppressorExtensionPeriod: extension,
  });
  await comesTo(world, name, 'OK');
  return { child, suppressor, name, read };
}

export const cloudwatchComposite = group(
  'cloudwatch-composite',
  'Composite alarms',
  ['cloudwatch'],
  [
    rule('or', 'OR holds when one side does.', (a, b) => `ALARM("${a}") OR ALARM("${b}")`, 'ALARM', 'OR'),
    rule('and', 'AND holds when both sides do.', (a, b) => `ALARM("${a}") AND ALARM("${b}")`, 'OK', 'AND'),
    rule(
      'not',
      'NOT turns a condition around.',
      (a, b) => `ALARM("${a}") AND NOT ALARM("${b}")`,
      'ALARM',
      'NOT',
    ),
    rule('ok-state', 'OK(…) asks for the state OK.', (_a, b) => `OK("${b}")`, 'ALARM', 'OK(alarm)'),
    rule(
      'and-before-or',
      'AND binds closer than OR.',
      (a, b) => `ALARM("${a}") OR ALARM("${b}") AND FALSE`,
      'ALARM',
      'the order of operators: NOT, AND, OR',
    ),
    rule(
      'parentheses',
      'Parentheses group a rule.',
      (a, b) => `(ALARM("${a}") OR ALARM("${b}")) AND FALSE`,
      'OK',
      'parentheses group functions',
    ),
    rule(
      'names-without-quotes',
      'Names may stand without quotation marks.',
      (a) => `ALARM(${a})`,
      'ALARM',
      'quotes are optional',
    ),
    rule('true', 'TRUE always holds.', () => 'TRUE', 'ALARM', 'TRUE'),
    rule('false', 'FALSE never holds.', () => 'FALSE', 'OK', 'FALSE'),
    rule(
      'at-least',
      'AT_LEAST counts the alarms in a state.',
      (a, b) => `AT_LEAST(1, ALARM, (${a}, ${b}))`,
      'ALARM',
      'AT_LEAST(M, state, (alarms))',
    ),
    {
      name: 'by-arn',
      title: 'A rule may name alarms by their ARN.',
      source: { page: putting, says: 'alarm names or ARNs' },
      async run(world) {
        const a = await alarm(world);
        await put(world, a, 'ALARM');
        const { AlarmArn } = await described(world, a);
        await comesTo(world, await composite(world, `ALARM("${AlarmArn}")`), 'ALARM');
      },
    },
    {
      name: 'insufficient-data-of-a-child',
      title: 'INSUFFICIENT_DATA(…) asks for that state; the composite alarm itself is OK or ALARM only.',
      source: { page: putting, says: 'after its creation a composite alarm is never in INSUFFICIENT_DATA' },
      async run(world) {
        const a = await alarm(world);
        await comesTo(world, await composite(world, `INSUFFICIENT_DATA("${a}")`), 'ALARM');
        await comesTo(world, await composite(world, `ALARM("${a}")`), 'OK');
      },
    },
    {
      name: 'follows-its-children',
      title: 'A composite alarm follows each change of its children.',
      source: { page: putting, says: 'it is evaluated when an alarm of its rule changes its state' },
      async run(world) {
        const { a, b } = await pair(world);
        const name = await composite(world, `ALARM("${a}") AND ALARM("${b}")`);
        await comesTo(world, name, 'OK');
        await put(world, a, 'ALARM');
        equal(await stateOf(world, name), 'OK');
        await put(world, b, 'ALARM');
        await comesTo(world, name, 'ALARM');
        await put(world, a, 'OK');
        await comesTo(world, name, 'OK');
      },
    },
    {
      name: 'of-composite-alarms',
      title: 'A composite alarm may stand on another one.',
      source: { page: putting, says: 'children can be metric alarms and composite alarms' },
      async run(world) {
        const a = await alarm(world);
        const inner = await composite(world, `ALARM("${a}")`);
        const outer = await composite(world, `ALARM("${inner}")`);
        await comesTo(world, outer, 'OK');
        await put(world, a, 'ALARM');
        await comesTo(world, outer, 'ALARM');
      },
    },
    {
      name: 'actions',
      title: 'A composite alarm runs its actions; the message has its rule, and no Trigger.',
      needs: ['sns', 'sqs'],
      source: {
        page: 'CloudWatch user guide, "Create a composite alarm"',
        says: 'a composite alarm can notify topics',
      },
      async run(world) {
        const a = await alarm(world);
        const { topicArn, read } = await inbox(world);
        const AlarmRule = `ALARM("${a}")`;
        const name = await composite(world, AlarmRule, { AlarmActions: [topicArn] });
        await comesTo(world, name, 'OK');
        await put(world, a, 'ALARM');
        const [message] = await read(1);
        equal(
          `${message?.AlarmName} ${message?.OldStateValue} ${message?.NewStateValue}`,
          `${name} OK ALARM`,
        );
        equal(message?.AlarmRule, AlarmRule);
        equal(message?.Trigger, undefined, 'The message has a Trigger.');
      },
    },
    {
      name: 'update-of-the-rule',
      title: 'A new rule is evaluated at once.',
      source: {
        page: putting,
        says: 'a composite alarm is evaluated again when its configuration is updated',
      },
      async run(world) {
        const name = await composite(world, 'FALSE');
        await comesTo(world, name, 'OK');
        await composite(world, 'TRUE', { AlarmName: name });
        await comesTo(world, name, 'ALARM');
      },
    },
    {
      name: 'described-when-asked-for',
      title: 'DescribeAlarms gives metric alarms alone, unless composite alarms are asked for.',
      source: {
        page: 'CloudWatch API reference, DescribeAlarms',
        says: 'without AlarmTypes only metric alarms are returned',
      },
      async run(world) {
        const name = await composite(world, 'FALSE');
        const ask = new DescribeAlarmsCommand({ AlarmNames: [name] });
        equal(
          (await world.cloudwatch.send(ask)).CompositeAlarms?.length ?? 0,
          0,
          'It came without being asked for.',
        );
        const found = await described(world, name);
        equal(found.AlarmRule, 'FALSE');
      },
    },
    {
      name: 'children-and-parents',
      title: 'The children of a composite alarm and the parents of an alarm can be asked for.',
      source: {
        page: 'CloudWatch API reference, DescribeAlarms',
        says: 'ChildrenOfAlarmName, ParentsOfAlarmName',
      },
      async run(world) {
        const { a, b } = await pair(world);
        const name = await composite(world, `ALARM("${a}") OR ALARM("${b}")`);
        const children = await world.cloudwatch.send(
          new DescribeAlarmsCommand({ ChildrenOfAlarmName: name }),
        );
        equal(
          children.MetricAlarms?.map(({ AlarmName }) => AlarmName)
            .sort()
            .join(),
          [a, b].sort().join(),
        );
        const parents = await world.cloudwatch.send(new DescribeAlarmsCommand({ ParentsOfAlarmName: a }));
        equal(parents.CompositeAlarms?.map(({ AlarmName }) => AlarmName).join(), name);
      },
    },
    {
      name: 'child-cannot-be-deleted',
      title: 'An alarm on which a composite alarm stands cannot be deleted.',
      source: {
        page: 'CloudWatch API reference, DeleteAlarms',
        says: 'an alarm that another one depends on cannot be deleted',
        conflict:
          'The page says it of composite alarms; AWS answers so for metric alarms as well (issue 462 of ekristen/aws-nuke shows its words).',
      },
      async run(world) {
        const a = await alarm(world);
        await composite(world, `ALARM("${a}")`);
        await refused('the deletion of a child', { ...wrong, message: /composite alarm/ }, () =>
          world.cloudwatch.send(new DeleteAlarmsCommand({ AlarmNames: [a] })),
        );
        equal(await stateOf(world, a), 'INSUFFICIENT_DATA');
      },
    },
    {
      name: 'one-composite-alarm-a-deletion',
      title: 'Two composite alarms cannot be deleted in one call.',
      source: {
        page: 'CloudWatch API reference, DeleteAlarms',
        says: 'no more than one composite alarm in a call',
      },
      async run(world) {
        const AlarmNames = [await composite(world, 'FALSE'), await composite(world, 'FALSE')];
        await refused('two composite alarms in one deletion', wrong, () =>
          world.cloudwatch.send(new DeleteAlarmsCommand({ AlarmNames })),
        );
      },
    },
    {
      name: 'suppressed-by-alarm',
      title: 'While the suppressor is in ALARM the state changes and no action runs.',
      needs: ['sns', 'sqs'],
      source: { page: suppression, says: 'actions are suppressed while the suppressor is in ALARM' },
      async run(world) {
        const { child, suppressor, name, read } = await suppressed(world, 1, 1);
        await put(world, suppressor, 'ALARM');
        await put(world, child, 'ALARM');
        await comesTo(world, name, 'ALARM');
        await world.pass(2);
        equal((await read(0)).length, 0, 'The action ran although the suppressor is in ALARM.');
        equal((await described(world, name)).ActionsSuppressedBy, 'Alarm');
      },
    },
    {
      name: 'suppressor-in-alarm-from-the-start',
      title:
        'A suppressor that is in ALARM when the composite alarm is made suppresses its first action too.',
      needs: ['sns', 'sqs'],
      source: { page: suppression, says: 'actions are suppressed while the suppressor is in ALARM' },
      async run(world) {
        const suppressor = await alarm(world);
        const { topicArn, read } = await inbox(world);
        await put(world, suppressor, 'ALARM');
        const name = await composite(world, 'TRUE', {
          AlarmActions: [topicArn],
          ActionsSuppressor: suppressor,
          ActionsSuppressorWaitPeriod: 0,
          ActionsSuppressorExtensionPeriod: 0,
        });
        await comesTo(world, name, 'ALARM');
        await world.pass(1);
        equal((await read(0)).length, 0, 'The action ran although the suppressor is in ALARM.');
      },
    },
    {
      name: 'wait-period',
      title: 'Actions wait for the wait period, and run at its end when the suppressor did not go off.',
      needs: ['sns', 'sqs'],
      source: { page: suppression, says: 'WaitPeriod: the longest that actions wait for the suppressor' },
      async run(world) {
        const { child, name, read } = await suppressed(world, 3, 1);
        await put(world, child, 'ALARM');
        await comesTo(world, name, 'ALARM');
        equal((await described(world, name)).ActionsSuppressedBy, 'WaitPeriod');
        equal((await read(0)).length, 0, 'The action did not wait.');
        await world.pass(3);
        equal((await read(1)).length, 1);
        equal((await described(world, name)).ActionsSuppressedBy, undefined);
      },
    },
    {
      name: 'extension-period',
      title: 'After the suppressor has gone back actions wait for the extension period, and then run.',
      needs: ['sns', 'sqs'],
      source: {
        page: suppression,
        says: 'ExtensionPeriod: how long actions wait after the suppressor went back',
      },
      async run(world) {
        const { child, suppressor, name, read } = await suppressed(world, 1, 3);
        await put(world, suppressor, 'ALARM');
        await put(world, child, 'ALARM');
        await comesTo(world, name, 'ALARM');
        await put(world, suppressor, 'OK');
        await world.eventually('ExtensionPeriod', 2, async () =>
          (await described(world, name)).ActionsSuppressedBy === 'ExtensionPeriod' ? true : undefined,
        );
        equal((await read(0)).length, 0, 'The action did not wait.');
        await world.pass(3);
        equal((await read(1)).length, 1);
      },
    },
    {
      name: 'suppressor-that-does-not-exist',
      title: 'A suppressor that does not exist is refused.',
      source: { page: putting, says: 'ActionsSuppressor: an existing alarm' },
      async run(world) {
        await refused('a suppressor that is not there', wrong, () =>
          composite(world, 'FALSE', {
            ActionsSuppressor: world.name('nobody'),
            ActionsSuppressorWaitPeriod: 1,
            ActionsSuppressorExtensionPeriod: 1,
          }),
        );
      },
    },
    {
      name: 'set-state',
      title: 'The state of a composite alarm can be set by hand, until a child changes.',
      source: {
        page: 'CloudWatch API reference, SetAlarmState',
        says: 'it returns to its state when a child changes',
      },
      async run(world) {
        const { a, b } = await pair(world);
        const name = await composite(world, `ALARM("${a}") OR ALARM("${b}")`);
        await comesTo(world, name, 'OK');
        await put(world, name, 'ALARM');
        equal(await stateOf(world, name), 'ALARM');
        await put(world, a, 'OK');
        await comesTo(world, name, 'OK');
      },
    },
    refusal('empty-rule', 'A rule that is no expression is refused.', 'ALARM(', 'the syntax of AlarmRule'),
    refusal(
      'unknown-function',
      'A rule with an unknown function is refused.',
      'BROKEN("x")',
      'ALARM, OK, INSUFFICIENT_DATA',
    ),
    refusal(
      'two-conditions-without-operator',
      'Two conditions without an operator are refused.',
      'TRUE FALSE',
      'AND, OR, NOT',
    ),
    {
      name: 'alarm-that-does-not-exist',
      title: 'A rule on an alarm that does not exist is refused, and the refusal names it.',
      source: {
        page: putting,
        says: 'the rule names alarms that were created',
        conflict:
          'The page has no sentence on it; AWS answers "Could not save the composite alarm as alarms […] in the alarm rule do not exist" (issue 911 of awsdocs/aws-cloudformation-user-guide).',
      },
      async run(world) {
        const nobody = world.name('nobody');
        const error = await refused('a rule on an alarm that is not there', wrong, () =>
          composite(world, `ALARM("${nobody}")`),
        );
        ok(error.message.includes(nobody), `The refusal does not name the alarm: ${error.message}`);
      },
    },
  ],
);

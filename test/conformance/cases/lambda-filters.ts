import { equal } from 'node:assert/strict';
import { type ConformanceCase, group } from '../case.ts';
import { bodiesOf, depthOf, emptied, give, giveOne, recorder, sourceQueue, subscribe } from './kit/lambda.ts';
import { refused } from './kit/refusal.ts';

const page = 'Lambda developer guide, "Using event filtering with an Amazon SQS event source"';
const syntax = 'Lambda developer guide, "Control which events Lambda sends to your function"';

/** A filter, what it lets through and what it does not. */
const rule = (
  name: string,
  title: string,
  pattern: object | readonly object[],
  passing: readonly string[],
  dropped: readonly string[],
  says: string,
): ConformanceCase => ({
  name,
  title,
  source: { page: syntax, says },
  functions: 'recorder',
  async run(world) {
    const { name: functionName, begun, quiet } = await recorder(world);
    const { url, arn } = await sourceQueue(world);
    await give(world, url, [...passing, ...dropped]);
    const Filters = [pattern].flat().map((each) => ({ Pattern: JSON.stringify(each) }));
    await subscribe(world, functionName, arn, { FilterCriteria: { Filters } });
    await emptied(world, url);
    await quiet(0);
    const seen = (await begun(1)).flatMap(bodiesOf).toSorted();
    equal(seen.join(' '), passing.toSorted().join(' '), `Let through was: ${seen.join(' ') || 'nothing'}.`);
  },
});

const patternError = { name: 'InvalidParameterValueException' } as const;

/** A pattern that is refused. */
const refusal = (name: string, title: string, pattern: string, says: string): ConformanceCase => ({
  name,
  title,
  source: { page: syntax, says },
  functions: 'recorder',
  async run(world) {
    const { name: functionName } = await recorder(world);
    const { arn } = await sourceQueue(world);
    await refused(`the pattern ${pattern}`, patternError, () =>
      subscribe(world, functionName, arn, { FilterCriteria: { Filters: [{ Pattern: pattern }] } }),
    );
  },
});

export const lambdaFilters = group(
  'lambda-filters',
  'Event sources: filters',
  ['lambda', 'sqs'],
  [
    rule(
      'equal-value-of-the-body',
      'A pattern for the body matches its fields by value.',
      { body: { type: ['order', 'payment'] } },
      ['{"type":"order"}', '{"type":"payment","more":1}'],
      ['{"type":"letter"}', '{"kind":"order"}'],
      'every field of the pattern has to be met by one of its values',
    ),
    rule(
      'several-filters-are-alternatives',
      'A message that one of several filters lets through is handed over.',
      [{ body: { a: [1] } }, { body: { b: [2] } }],
      ['{"a":1}', '{"b":2}'],
      ['{"a":2,"b":1}'],
      'filters of one event source are joined by OR',
    ),
    rule(
      'prefix',
      'The rule prefix matches the beginning of a text.',
      { body: { id: [{ prefix: 'eu-' }] } },
      ['{"id":"eu-1"}'],
      ['{"id":"us-eu-"}', '{"id":7}'],
      'prefix is a rule for texts',
    ),
    rule(
      'anything-but',
      'The rule anything-but matches every other value that is there.',
      { body: { id: [{ 'anything-but': ['a'] }] } },
      ['{"id":"b"}'],
      ['{"id":"a"}', '{"other":1}'],
      'anything-but matches when the field has another value',
    ),
    rule(
      'numeric-range',
      'The rule numeric matches numbers in a range, and no texts.',
      { body: { price: [{ numeric: ['>', 10, '<=', 20] }] } },
      ['{"price":10.5}', '{"price":20}'],
      ['{"price":10}', '{"price":21}', '{"price":"15"}'],
      'numeric compares numbers, = < <= > >=, two for a range',
    ),
    rule(
      'exists',
      'The rule exists asks whether a field is there.',
      { body: { error: [{ exists: false }], id: [{ exists: true }] } },
      ['{"id":1}'],
      ['{"id":1,"error":"x"}', '{"x":1}'],
      'exists true and false',
    ),
    rule(
      'element-of-an-array',
      'A list matches when one of its elements does.',
      { body: { tags: ['red'] } },
      ['{"tags":["blue","red"]}'],
      ['{"tags":["blue"]}'],
      'a value that is an array matches by one of its elements',
    ),
    rule(
      'null-and-empty-text',
      'null and the empty text match themselves alone.',
      { body: { a: [null], b: [''] } },
      ['{"a":null,"b":""}'],
      ['{"a":"","b":""}', '{"b":""}'],
      'null and empty rules',
    ),
    rule(
      'or',
      'The rule $or matches when one of its patterns does.',
      { body: { $or: [{ a: [1] }, { b: [2] }] } },
      ['{"a":1}', '{"b":2}'],
      ['{"a":3}'],
      '$or joins fields as alternatives',
    ),
    rule(
      'plain-text-body-against-json-pattern',
      'A body that is no JSON does not match a pattern of JSON fields.',
      { body: { a: [1] } },
      ['{"a":1}'],
      ['not json'],
      'with a JSON pattern a body of another kind is dropped',
    ),
    rule(
      'text-pattern',
      'A pattern for the body as a whole matches it as text.',
      { body: ['plain', { prefix: 'pre-' }] },
      ['plain', 'pre-fixed'],
      ['other'],
      'a plain-text body is matched by a list of rules',
    ),
    {
      name: 'unmatched-is-deleted',
      title: 'A message that no filter lets through is deleted from the queue, without an invocation.',
      source: { page, says: 'what does not match is removed from the queue' },
      functions: 'recorder',
      async run(world) {
        const { name, quiet } = await recorder(world);
        const { url, arn } = await sourceQueue(world);
        await give(world, url, ['{"a":2}']);
        const Filters = [{ Pattern: '{"body":{"a":[1]}}' }];
        await subscribe(world, name, arn, { FilterCriteria: { Filters } });
        await emptied(world, url);
        equal((await quiet(0)).length, 0, 'The function was invoked.');
      },
    },
    {
      name: 'message-attributes-can-be-filtered',
      title: 'A pattern may ask for message attributes and for the queue’s own attributes of a message.',
      source: { page, says: 'the fields of a record can be filtered; messageAttributes among them' },
      functions: 'recorder',
      async run(world) {
        const { name, begun, quiet } = await recorder(world);
        const { url, arn } = await sourceQueue(world);
        const send = (body: string, value: string) =>
          giveOne(world, {
            QueueUrl: url,
            MessageBody: body,
            MessageAttributes: { kind: { DataType: 'String', StringValue: value } },
          });
        await send('wanted', 'a');
        await send('unwanted', 'b');
        const Pattern = JSON.stringify({ messageAttributes: { kind: { stringValue: ['a'] } } });
        await subscribe(world, name, arn, { FilterCriteria: { Filters: [{ Pattern }] } });
        await emptied(world, url);
        await quiet(0);
        equal((await begun(1)).flatMap(bodiesOf).join(), 'wanted');
        equal((await depthOf(world, url)).waiting, 0);
      },
    },
    refusal(
      'pattern-that-is-no-json',
      'A pattern that is no JSON is refused.',
      '{"body":',
      'a pattern is JSON',
    ),
    refusal(
      'value-outside-of-a-list',
      'A value of a pattern that is not in a list is refused.',
      '{"body":{"a":"x"}}',
      'values stand in lists',
    ),
    refusal('empty-list', 'An empty list of values is refused.', '{"body":{"a":[]}}', 'a list has rules'),
    refusal(
      'unknown-rule',
      'A rule that does not exist is refused.',
      '{"body":{"a":[{"resembles":"x"}]}}',
      'the table of rules',
    ),
    {
      name: 'at-most-five-filters',
      title: 'More than five filters are refused.',
      source: { page: syntax, says: 'five filters for an event source, ten after a raise of the quota' },
      functions: 'recorder',
      async run(world) {
        const { name } = await recorder(world);
        const { arn } = await sourceQueue(world);
        const Filters = [...'abcdef'].map((field) => ({ Pattern: `{"body":{"${field}":[1]}}` }));
        await refused(
          'six filters',
          { name: ['InvalidParameterValueException', 'ValidationException'] },
          () => subscribe(world, name, arn, { FilterCriteria: { Filters } }),
        );
      },
    },
  ],
);

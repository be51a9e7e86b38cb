import { deepEqual } from 'node:assert/strict';
import { group } from '../case.ts';
import { attributes, bodies, filterCase, pages, pair, refusedPolicies, type Shown } from './kit/sns.ts';

const page =
  'SNS developer guide, "Amazon SNS subscription filter policy scope" and "Subscription filter policies"';

const yes = (body: unknown): Shown => ({ body, accepted: true });
const no = (body: unknown): Shown => ({ body, accepted: false });

export const snsFilterBody = group(
  'sns-filter-body',
  'Filters over the body',
  ['sns', 'sqs'],
  [
    filterCase(
      {
        name: 'properties',
        title: 'A body filter looks at the properties of the JSON body.',
        source: { page, says: 'with the scope MessageBody the policy is applied to the body, a JSON object' },
      },
      { kind: ['a'] },
      { equal: yes({ kind: 'a' }), other: no({ kind: 'b' }), absent: no({ other: 'a' }) },
    ),
    filterCase(
      {
        name: 'not-json',
        title: 'A body that is no JSON object is not delivered.',
        source: { page, says: 'the body must be well-formed JSON, otherwise it is not delivered' },
      },
      { kind: [{ exists: false }] },
      { object: yes({ other: 1 }), text: no('kind=a') },
    ),
    filterCase(
      {
        name: 'nested',
        title: 'A nested policy looks into nested objects.',
        source: { page: pages.constraints, says: 'payload-based filtering takes nested policies' },
      },
      { order: { customer: { tier: ['gold'] }, total: [{ numeric: ['>', 100] }] } },
      {
        both: yes({ order: { customer: { tier: 'gold' }, total: 101 } }),
        'one wrong': no({ order: { customer: { tier: 'tin' }, total: 101 } }),
        'a text in the place of the object': no({ order: 'gold' }),
        'on the wrong level': no({ customer: { tier: 'gold' }, total: 101 }),
      },
    ),
    filterCase(
      {
        name: 'types-of-json',
        title: 'Texts, numbers, true, false and null match by value and by type.',
        source: {
          page: pages.constraints,
          says: 'a policy holds texts, numbers, true, false and null',
        },
      },
      { value: ['12', true, null] },
      {
        text: yes({ value: '12' }),
        number: no({ value: 12 }),
        true: yes({ value: true }),
        false: no({ value: false }),
        null: yes({ value: null }),
        'the text true': no({ value: 'true' }),
      },
    ),
    filterCase(
      {
        name: 'array-of-values',
        title: 'Of an array of values one is enough.',
        source: { page, says: 'a policy matches an array when it matches an element' },
      },
      { tags: ['b'] },
      { contains: yes({ tags: ['a', 'b'] }), lacks: no({ tags: ['a', 'c'] }), empty: no({ tags: [] }) },
    ),
    filterCase(
      {
        name: 'array-of-objects',
        title: 'A nested policy looks into arrays of objects.',
        source: {
          page: 'SNS developer guide, "Filter policies", example for S3 event notifications',
          says: 'Records.s3.object.key is filtered although Records is an array',
        },
      },
      {
        Records: {
          s3: { object: { key: [{ prefix: 'photos-' }] } },
          eventName: [{ prefix: 'ObjectCreated:' }],
        },
      },
      {
        one: yes({ Records: [{ eventName: 'ObjectCreated:Put', s3: { object: { key: 'photos-1' } } }] }),
        second: yes({
          Records: [
            { eventName: 'ObjectRemoved:Delete', s3: { object: { key: 'x' } } },
            { eventName: 'ObjectCreated:Put', s3: { object: { key: 'photos-1' } } },
          ],
        }),
        none: no({ Records: [{ eventName: 'ObjectCreated:Put', s3: { object: { key: 'docs-1' } } }] }),
        empty: no({ Records: [] }),
      },
    ),
    filterCase(
      {
        name: 'exists-of-a-leaf',
        title: 'exists looks at a leaf of the body.',
        source: {
          page: 'SNS developer guide, "Key matching"',
          says: 'exists works on leaf nodes only, not on intermediate ones',
        },
      },
      { order: { note: [{ exists: true }] } },
      { there: yes({ order: { note: 'x' } }), 'not there': no({ order: { id: 1 } }) },
    ),
    filterCase(
      {
        name: 'exists-false-of-a-leaf',
        title: 'exists: false matches where the leaf is missing.',
        source: {
          page: 'SNS developer guide, "Key matching"',
          says: 'exists false matches if the property is missing',
        },
      },
      { order: { note: [{ exists: false }] } },
      {
        'not there': yes({ order: { id: 1 } }),
        there: no({ order: { note: 'x' } }),
      },
    ),
    filterCase(
      {
        name: 'operators',
        title: 'Every operator works on the body.',
        source: { page, says: 'the operators are the same for both scopes' },
      },
      {
        name: [{ prefix: 'a' }, { suffix: 'z' }],
        ip: [{ cidr: '10.0.0.0/8' }],
        size: [{ numeric: ['>=', 1, '<', 5] }],
        kind: [{ 'anything-but': ['x'] }],
      },
      {
        all: yes({ name: 'abc', ip: '10.1.1.1', size: 4.5, kind: 'y' }),
        'wrong size': no({ name: 'abc', ip: '10.1.1.1', size: 5, kind: 'y' }),
        'size in text': no({ name: 'abc', ip: '10.1.1.1', size: '4', kind: 'y' }),
        'listed kind': no({ name: 'xyz', ip: '10.1.1.1', size: 2, kind: 'x' }),
      },
    ),
    filterCase(
      {
        name: 'or-in-the-body',
        title: '$or works on nested properties.',
        source: {
          page: 'SNS developer guide, "AND/OR logic"',
          says: '$or may stand in payload-based policies',
        },
      },
      { order: { $or: [{ total: [{ numeric: ['>', 100] }] }, { express: [true] }] } },
      {
        first: yes({ order: { total: 101 } }),
        second: yes({ order: { total: 1, express: true } }),
        neither: no({ order: { total: 1, express: false } }),
      },
    ),
    filterCase(
      {
        name: 'properties-of-every-object',
        title:
          'A property named as what every JavaScript or Python object has is a property only where it is written.',
        source: {
          page: 'SNS developer guide, "Key matching"',
          says: 'exists true matches if the property is there',
        },
      },
      { constructor: [{ exists: true }] },
      { there: yes({ constructor: 'x' }), 'not there': no({ other: 'x' }) },
    ),
    {
      name: 'attributes-are-not-looked-at',
      title: 'A body filter does not look at attributes.',
      source: { page, says: 'FilterPolicyScope says whether attributes or the body are looked at' },
      async run(world) {
        const { queue, publish } = await pair(world, {
          subscription: {
            RawMessageDelivery: 'true',
            FilterPolicyScope: 'MessageBody',
            FilterPolicy: JSON.stringify({ kind: ['a'] }),
          },
        });
        await publish('{"kind":"b"}', { MessageAttributes: attributes({ kind: 'a' }) });
        await publish('{"kind":"a"}', { MessageAttributes: attributes({ kind: 'b' }) });
        deepEqual(await bodies(world, queue, 1), ['{"kind":"a"}']);
      },
    },
    filterCase(
      {
        name: 'nested-keys-count-by-their-parent',
        title: 'Of nested keys the topmost count towards the limit of five.',
        source: {
          page: pages.constraints,
          says: 'a policy has at most five keys',
          conflict:
            'An older text of the page says that for a nested policy only parent keys are counted, a newer one counts the leaves, and shows six of them without a word of refusal. The model counts parents: it refuses nothing that one of the two allows.',
        },
      },
      { a: { b: ['x'], c: ['x'], d: ['x'] }, e: { f: ['x'], g: ['x'], h: ['x'] } },
      {
        all: yes({ a: { b: 'x', c: 'x', d: 'x' }, e: { f: 'x', g: 'x', h: 'x' } }),
        'one other': no({ a: { b: 'x', c: 'x', d: 'x' }, e: { f: 'x', g: 'x', h: 'y' } }),
      },
    ),
    refusedPolicies(
      {
        name: 'combinations-of-nested-keys',
        title: 'Values of nested keys count once for each level.',
        source: {
          page: pages.constraints,
          says: 'for nested policies the number of values is multiplied by the level of nesting',
        },
      },
      {
        // 3 levels x 4 values, times 2 levels x 7 values: 168.
        '168 combinations': {
          a: { b: { c: ['1', '2', '3', '4'] } },
          d: { e: ['1', '2', '3', '4', '5', '6', '7'] },
        },
      },
      'MessageBody',
    ),
    filterCase(
      {
        name: 'combinations-of-nested-keys-allowed',
        title: '144 combinations of nested keys are taken.',
        source: {
          page: pages.constraints,
          says: 'for nested policies the number of values is multiplied by the level of nesting',
        },
      },
      { a: { b: { c: ['1', '2', '3', '4'] } }, d: { e: ['1', '2', '3', '4', '5', '6'] } },
      {
        all: yes({ a: { b: { c: '4' } }, d: { e: '6' } }),
        other: no({ a: { b: { c: '5' } }, d: { e: '6' } }),
      },
    ),
  ],
);

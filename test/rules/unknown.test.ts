import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { App, Stack } from 'aws-cdk-lib';
import { Template as Synthesized } from 'aws-cdk-lib/assertions';
import fc from 'fast-check';
import { MessagingStack } from 'sluice/cdk';
import { describe, expect, it } from 'vitest';
import { findViolations, type Template } from '../../lib/rules/index.ts';
import { handlers, shop } from '../constructs/fixtures/shop.ts';
import { arn, plain, ref } from '../wrong-stacks/support/plain.ts';
import type { Specimen } from '../wrong-stacks/support/specimen.ts';

const folder = new URL('../wrong-stacks/', import.meta.url);
const files = readdirSync(fileURLToPath(folder)).filter(
  (name) => name.endsWith('.ts') && !name.endsWith('.test.ts'),
);

/** Whose dead letters are looked at by a function, and go nowhere from there. */
const lookedAt: Specimen = {
  byHand: {
    wrong: (stack) =>
      plain(stack, {
        Looker: {
          Type: 'AWS::Lambda::EventSourceMapping',
          EventSourceArn: arn('DeadLetters'),
          FunctionName: ref('Function'),
          BatchSize: 1,
        },
      }),
    mended: (stack) => plain(stack),
  },
};

/** The templates of all wrong stacks that are small enough to be taken apart, and of one of this package. */
const templates: readonly Template[] = (
  await Promise.all(
    ['', ...files].map(async (file) => {
      const { specimen } =
        file === ''
          ? { specimen: lookedAt }
          : ((await import(/* @vite-ignore */ new URL(file, folder).href)) as { specimen: Specimen });
      if (specimen.byHand === undefined) return [];
      const stack = new Stack(new App({ analyticsReporting: false }), 'Wrong');
      specimen.byHand.wrong(stack);
      return [Synthesized.fromStack(stack).toJSON() as Template];
    }),
  )
)
  .flat()
  .filter((template) => Object.keys(template.Resources ?? {}).length < 30)
  .concat(
    Synthesized.fromStack(
      new MessagingStack(
        new App({ analyticsReporting: false, context: { 'aws:cdk:bundling-stacks': [] } }),
        'Shop',
        { messaging: shop, handlers, alarms: 'none' },
      ),
    ).toJSON() as Template,
  );

const judge = (template: Template): string[] =>
  findViolations([{ path: 'Shop', template }]).map(({ rule, logicalId }) => `${rule} ${logicalId}`);

/** A value with the parts that `replace` chooses put in the place of others. */
function rewrite(value: unknown, replace: () => unknown): unknown {
  const other = replace();
  if (other !== undefined) return other;
  if (Array.isArray(value)) return value.map((each) => rewrite(each, replace));
  if (typeof value !== 'object' || value === null) return value;
  const keys = Object.keys(value);
  // References are taken away as wholes: half of one is no template.
  if (keys.length === 1 && /^(Ref|Fn::.*)$/.test(keys[0]!)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, rewrite(each, replace)]));
}

function rewriteProperties(template: Template, replace: () => unknown): Template {
  return {
    ...template,
    Resources: Object.fromEntries(
      Object.entries(template.Resources ?? {}).map(([id, { Type, Properties }]) => [
        id,
        {
          Type,
          Properties: Object.fromEntries(
            Object.entries((Properties ?? {}) as object).map(([name, value]) => [
              name,
              rewrite(value, replace),
            ]),
          ),
        },
      ]),
    ),
  };
}

describe('What only the deployment knows is no fault', () => {
  it('to know less of a stack never finds more in it', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...templates),
        fc.integer({ min: 1, max: 60 }),
        fc.infiniteStream(fc.nat(1000)),
        (template, rarity, chance) => {
          const known = new Set(judge(template));
          const less = rewriteProperties(template, () =>
            chance.next().value! % rarity === 0 ? { Ref: 'AParameter' } : undefined,
          );
          expect(judge(less).filter((each) => !known.has(each))).toEqual([]);
        },
      ),
      { numRuns: 600 },
    );
  });

  it('whatever stands in a template, no rule fails over it', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...templates),
        fc.integer({ min: 1, max: 30 }),
        fc.infiniteStream(fc.nat(1000)),
        fc.infiniteStream(fc.oneof(fc.jsonValue(), fc.constantFrom(...oddities))),
        (template, rarity, chance, values) => {
          judge(
            rewriteProperties(template, () =>
              chance.next().value! % rarity === 0 ? (values.next().value ?? null) : undefined,
            ),
          );
        },
      ),
      { numRuns: 400 },
    );
  });
});

/** How a text names what is put in. */
const put = (name: string): string => `\${${name}}`;

const oddities: readonly unknown[] = [
  { Ref: 'Queue' },
  { Ref: 7 },
  { Ref: 'constructor' },
  { 'Fn::GetAtt': 'Queue.Arn' },
  { 'Fn::GetAtt': ['Queue'] },
  { 'Fn::GetAtt': [{ Ref: 'X' }, 'Arn'] },
  { 'Fn::GetAtt': { Ref: 'X' } },
  { 'Fn::Join': ['', { Ref: 'List' }] },
  { 'Fn::Join': 'x' },
  { 'Fn::Sub': [`${put('Queue.Arn')}/${put('x')}`, { x: { Ref: 'Topic' } }] },
  { 'Fn::Sub': `${put('!Literal')} ${put('AWS::Region')} ${put('')}` },
  { 'Fn::Sub': [put('x')] },
  { 'Fn::If': ['Condition', { Ref: 'AWS::NoValue' }, 'x'] },
  { 'Fn::If': 'x' },
  { 'Fn::ImportValue': { 'Fn::Sub': `${put('AWS::StackName')}-x` } },
  { 'Fn::GetStackOutput': null },
  { 'Fn::Transform': { Name: 'AWS::Include' } },
  { 'Fn::Select': [5, { 'Fn::Split': [':', { Ref: 'Topic' }] }] },
  'arn:aws:sqs:eu-west-1:111111111111:orders',
  'arn:aws:sqs',
  'alias/aws/sqs',
  '{"deadLetterTargetArn":7}',
  '{',
];

import { App, CfnResource, NestedStack, type Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { defineMessaging, event, seconds } from 'sluice';
import { MessagingStack, type MessagingStackProps } from 'sluice/cdk';
import { describe, expect, it } from 'vitest';
import { schema } from '../../wrong-stacks/support/specimen.ts';
import { handlers } from '../fixtures/shop.ts';

const messaging = (subscribers: number, alarms: 'lean' | 'full' = 'lean') =>
  defineMessaging({
    name: 'many',
    topics: { orders: { fifo: true } },
    events: { placed: event({ topic: 'orders', schema }) },
    subscribers: Object.fromEntries(
      Array.from({ length: subscribers }, (_, index) => [
        `reader-${index}`,
        { on: ['placed'] as const, fifo: true, handler: 'payments.ts', lag: seconds(60), alarms },
      ]),
    ),
  });

type Declared = ReturnType<typeof messaging>;

const stackOf = (
  declared: Declared,
  props: Partial<MessagingStackProps<Declared>> = {},
  context: Record<string, unknown> = {},
) =>
  new MessagingStack(new App({ context: { 'aws:cdk:bundling-stacks': [], ...context } }), 'Many', {
    messaging: declared,
    handlers,
    ...props,
  });

const countOf = (stack: Stack) => stack.node.findAll().filter(CfnResource.isCfnResource).length;

/** So many resources more. */
function fill(scope: Stack, count = 500): void {
  for (let index = 0; index < count; index++)
    new CfnResource(scope, `More${index}`, { type: 'AWS::SSM::Parameter' });
}

describe('How many subscribers a stack holds', () => {
  it('27 with lean alarms, 13 with all: as docs/deploy.md says', () => {
    expect(countOf(stackOf(messaging(27)))).toBe(492);
    expect(countOf(stackOf(messaging(13, 'full')))).toBe(474);
  });

  it('its template stays below the megabyte of CloudFormation', () => {
    const template = Template.fromStack(stackOf(messaging(27), { encryption: 'customerKey' })).toJSON();
    expect(JSON.stringify(template, undefined, 1).length).toBeLessThan(1_000_000);
  });

  it('more are refused, with how many fit and what to do', () => {
    expect(() => Template.fromStack(stackOf(messaging(30)))).toThrow(
      '[Many] found 546 resources in the stack; allowed: 500. Each subscriber has 18 of them, so that the first 27 of 30 fit. Hold the others in another stack (`only`)',
    );
  });

  it('whatever else is in it counts, but for what has a template of its own', () => {
    const full = stackOf(messaging(1));
    fill(full);
    expect(() => Template.fromStack(full)).toThrow('the first 0 of 1 fit');
    const apart = stackOf(messaging(1));
    fill(new NestedStack(apart, 'Nested'));
    expect(() => Template.fromStack(apart)).not.toThrow();
  });

  it('who lifts the limit of the CDK lifts this one', () => {
    const stack = stackOf(messaging(1), {}, { '@aws-cdk/core:stackResourceLimit': 0 });
    fill(stack);
    expect(() => Template.fromStack(stack)).not.toThrow();
  });
});

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { OrdersStack } from '../../examples/orders/stack.ts';

const flags = createRequire(import.meta.url)('aws-cdk-lib/recommended-feature-flags.json') as Record<
  string,
  unknown
>;

const typesOf = (context: Record<string, unknown>) => {
  const app = new App({ context: { 'aws:cdk:bundling-stacks': [], ...context } });
  const { Resources } = Template.fromStack(new OrdersStack(app, 'Orders')).toJSON() as {
    Resources: Record<string, { Type: string }>;
  };
  return Object.fromEntries(Object.entries(Resources).map(([id, { Type }]) => [id, Type]));
};

describe('An app chooses its feature flags of the CDK', () => {
  it('the stack has the same resources with all that the CDK recommends, and with none', () => {
    expect(typesOf(flags)).toEqual(typesOf({}));
  });

  it('cdk.json of the example has those that the CDK recommends', () => {
    const { context } = JSON.parse(
      readFileSync(fileURLToPath(new URL('../../cdk.json', import.meta.url)), 'utf8'),
    ) as { context: Record<string, unknown> };
    expect(context).toMatchObject(flags);
  });
});

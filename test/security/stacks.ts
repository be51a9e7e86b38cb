import { App, type Stack, Validations } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { OrdersStack } from '../../examples/orders/stack.ts';
import type { Acknowledged, Facts } from './page.ts';
import { type Right, rightsOf } from './rights.ts';

/** Without bundles: rights do not depend on code. */
export const newApp = (outdir?: string): App =>
  new App({ ...(outdir === undefined ? {} : { outdir }), context: { 'aws:cdk:bundling-stacks': [] } });

/** The rights in a stack that is already in an app. */
export const rightsIn = (stack: Stack): Right[] =>
  rightsOf(stack, Template.fromStack(stack).toJSON() as Parameters<typeof rightsOf>[1]);

/** The findings of checkers that the constructs of a stack answer with a reason. */
export const acknowledgedIn = (stack: Stack): Acknowledged[] =>
  stack.node.findAll().flatMap((construct) =>
    construct.node.metadata
      .filter(({ type }) => type === Validations.ACKNOWLEDGED_RULES_METADATA_KEY)
      .flatMap(({ data }) =>
        Object.entries(data as Readonly<Record<string, string>>)
          // This package's own rules are about messages, not about rights: docs/rules.md.
          .filter(([rule]) => !/(^|:)sluice:/.test(rule))
          .map(([rule, reason]) => ({
            rule: rule.slice(rule.lastIndexOf(':') + 1),
            reason,
            path: construct.node.path
              .slice(stack.node.path.length + 1)
              .split('/')
              .filter((part) => part !== 'Default' && part !== 'Resource')
              .join('/'),
          })),
      ),
  );

/** The example as it is deployed, and as it is with one key of the customer for everything. */
export const standard = (app = newApp()) => new OrdersStack(app, 'Orders');
export const withKey = (app = newApp()) => new OrdersStack(app, 'Orders', { encryption: 'customerKey' });

/** What docs/security.md is made of. */
export function facts(): Facts {
  const stack = standard();
  return {
    standard: rightsIn(stack),
    withKey: rightsIn(withKey()),
    acknowledged: acknowledgedIn(stack),
  };
}

import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { OrdersStack } from '../../examples/orders/stack.ts';

/**
 * Milliseconds of the processor that each test of a process takes for the template of the orders: on a busy machine the
 * time that passes tells what else was running. Esbuild, which the first of the bundled starts, is not counted.
 */
export interface UnitTimes {
  /** Without bundling, as a test asks for by the context `aws:cdk:bundling-stacks`. */
  readonly unbundled: readonly number[];
  /** With the handlers bundled. */
  readonly bundled: readonly number[];
}

/** As a unit test sets it: the CDK's own linter runs once, in a test of its own. */
process.env.CDK_VALIDATION = 'false';

function timeOf(context: Record<string, unknown>): number {
  const before = process.cpuUsage();
  Template.fromStack(new OrdersStack(new App({ context }), 'Orders'));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

const times = (context: Record<string, unknown>) => Array.from({ length: 8 }, () => timeOf(context));
const answer: UnitTimes = {
  unbundled: times({ 'aws:cdk:bundling-stacks': [] }),
  bundled: times({}),
};
process.send?.(answer);

import { existsSync, readFileSync } from 'node:fs';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { OrdersStack } from '../../examples/orders/stack.ts';
import { bareStack } from './bare-stack.ts';

/** What each test of a process takes for its template. */
export interface UnitTimes {
  readonly times: readonly UnitTime[];
}

/**
 * Milliseconds of the processor: on a busy machine the time that passes tells what else was running. Esbuild, which the
 * first of the bundled starts, is not counted.
 */
export interface UnitTime {
  /** Of the thread that the test runs in: what it waits for. */
  readonly thread: number;
  /** Of all threads: with V8's, which compile and collect garbage beside the test. */
  readonly all: number;
}

/** Whose template: the orders', without bundling (by the context `aws:cdk:bundling-stacks`) or with it; the bare app's. */
export type UnitKind = 'unbundled' | 'bundled' | 'bare';

/** As a unit test sets it: the CDK's own linter runs once, in a test of its own. */
process.env.CDK_VALIDATION = 'false';

const unbundled = () => new App({ context: { 'aws:cdk:bundling-stacks': [] } });
const stacks = {
  unbundled: () => new OrdersStack(unbundled(), 'Orders'),
  bundled: () => new OrdersStack(new App(), 'Orders'),
  bare: () => bareStack(unbundled()),
} satisfies Record<UnitKind, unknown>;

/** Linux tells the nanoseconds that a thread ran; elsewhere all threads are one figure. */
const ownThread = `/proc/self/task/${process.pid}/schedstat`;
const hasThread = existsSync(ownThread);

function spent(): UnitTime {
  const { user, system } = process.cpuUsage();
  const all = (user + system) / 1_000;
  return { thread: hasThread ? Number.parseInt(readFileSync(ownThread, 'utf8'), 10) / 1e6 : all, all };
}

function timeOf(kind: UnitKind): UnitTime {
  const before = spent();
  Template.fromStack(stacks[kind]());
  const after = spent();
  return { thread: after.thread - before.thread, all: after.all - before.all };
}

process.once('message', ({ kind }: { readonly kind: UnitKind }) => {
  const answer: UnitTimes = { times: Array.from({ length: 8 }, () => timeOf(kind)) };
  process.send?.(answer);
});

import type { Construct } from 'constructs';
import { ConstructError } from './construct-error.ts';

/** What consumes already, and for whom. */
const consuming = new WeakMap<object, Construct>();

/**
 * Notes that a function or container consumes one queue.
 *
 * @throws Error when it consumes another: its environment has place for one, and the second would silence the first
 */
export function demandOneQueue(runs: object, name: string, consumer: Construct): void {
  const other = consuming.get(runs);
  if (other !== undefined && other !== consumer)
    throw new ConstructError(
      `${name} is to consume for ${consumer.node.path}, and consumes for ${other.node.path} already; allowed is one queue, since its environment names one. Give each subscriber a function or container of its own.`,
    );
  consuming.set(runs, consumer);
}

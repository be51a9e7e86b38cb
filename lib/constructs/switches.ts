import type { Construct } from 'constructs';
import { ConstructError } from './construct-error.ts';
import type { Stage } from './stage.ts';

/**
 * Who runs the handlers: Lambda functions of the stack, or workers (`sluice/worker`) that somebody else starts.
 *
 * @example
 * ```ts
 * const consumers: Consumers = 'worker';
 * ```
 */
export type Consumers = 'lambda' | 'worker';

/**
 * Which alarms are made: all of them, those on one metric as it is (some servers for local tests know no metric math),
 * or none.
 *
 * @example
 * ```ts
 * const alarms: AlarmSet = 'plain';
 * ```
 */
export type AlarmSet = 'all' | 'plain' | 'none';

/**
 * A switch of the stack: what the context says (`-c sluice:consumers=worker`), which is said for one synthesis, then
 * the prop, then the default, the first of what is allowed.
 *
 * @throws Error when the value is none of those
 */
function choose<Value extends string>(
  scope: Construct,
  name: string,
  prop: string | undefined,
  allowed: readonly [Value, ...Value[]],
): Value {
  const key = `sluice:${name}`;
  const said: unknown = scope.node.tryGetContext(key);
  const value = said ?? prop ?? allowed[0];
  const found = allowed.find((each) => each === value);
  if (found !== undefined) return found;
  const where = said === undefined ? `The prop "${name}"` : `The context "${key}"`;
  throw new ConstructError(
    `${where} is ${JSON.stringify(value)}; allowed are ${allowed.map((each) => `"${each}"`).join(', ')}.`,
  );
}

/** Who runs the handlers of a stack. */
export const chooseConsumers = (scope: Construct, prop: string | undefined): Consumers =>
  choose(scope, 'consumers', prop, ['lambda', 'worker']);

/** Which alarms a stack has. */
export const chooseAlarms = (scope: Construct, prop: string | undefined): AlarmSet =>
  choose(scope, 'alarms', prop, ['all', 'plain', 'none']);

/** The stage of a stack; one that says nothing is careful. */
export const chooseStage = (scope: Construct, prop: string | undefined): Stage =>
  choose(scope, 'stage', prop, ['prod', 'dev']);

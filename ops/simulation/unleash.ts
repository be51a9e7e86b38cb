import { type Milliseconds, milliseconds } from '../../lib/base/index.ts';
import type { Messaging } from '../../lib/topology/index.ts';
import type { Harness } from '../../local/index.ts';
import type { Trouble } from './plan.ts';

/** What a harness is told before it begins. */
export function conditionsOf(troubles: readonly Trouble[]) {
  let sqs: { duplicateRate?: number; reorderWindow?: number } = {};
  let expiryDelay = milliseconds(0);
  let attempts = 3;
  let skews: readonly Milliseconds[] = [];
  for (const trouble of troubles) {
    if (trouble.kind === 'duplicates') sqs = { ...sqs, duplicateRate: trouble.rate };
    else if (trouble.kind === 'reordering') sqs = { ...sqs, reorderWindow: trouble.window };
    else if (trouble.kind === 'late expiry') expiryDelay = trouble.delay;
    else if (trouble.kind === 'impatience') attempts = 1;
    else if (trouble.kind === 'skew') skews = trouble.environments;
  }
  return {
    sqs,
    attempts,
    dynamodb: { expiryDelay },
    skew: (environment: number) => skews[environment % Math.max(1, skews.length)] ?? milliseconds(0),
  };
}

/** Plans everything that goes wrong; the returned call ends it. */
export function unleash(
  harness: Harness<Messaging>,
  troubles: readonly Trouble[],
  start: Milliseconds,
  span: Milliseconds,
  tell: (at: Milliseconds, text: string) => void,
): () => void {
  const { clock } = harness;
  const ends: (() => void)[] = [];
  const strike = (trouble: Extract<Trouble, { readonly kind: 'blow' }>, tries: number) => {
    const { subscriber, blow } = trouble;
    const happened =
      blow === 'kill'
        ? harness.kill(subscriber)
        : blow === 'deploy'
          ? true
          : harness.freeze(subscriber, blow.freeze);
    if (blow === 'deploy') void harness.deploy(subscriber);
    if (happened) {
      if (blow === 'kill' || blow === 'deploy')
        tell(
          clock.now(),
          blow === 'kill'
            ? `a worker of ${subscriber} is killed`
            : `a new version of ${subscriber} is deployed`,
        );
    } else if (tries > 0)
      // Where nobody is at work, somebody soon is.
      ends.push(clock.after(milliseconds(250), () => strike(trouble, tries - 1)).cancel);
  };
  for (const trouble of troubles) {
    if (trouble.kind === 'calls') ends.push(harness.aws.faults.add(trouble.fault));
    else if (trouble.kind === 'mishap') ends.push(harness.befall(trouble.mishap));
    else if (trouble.kind === 'outage') {
      const { from, to, withCommit } = trouble;
      const passed = () => clock.now() - start;
      let begin: number | undefined = withCommit ? undefined : from;
      const commit = () => {
        if (passed() >= from) begin ??= passed();
        return false;
      };
      if (withCommit)
        ends.push(
          harness.aws.faults.add({
            service: 'dynamodb',
            action: 'TransactWriteItems',
            where: commit,
            effect: { lostReply: true },
          }),
        );
      const lasts = () =>
        begin !== undefined && passed() >= begin && passed() < Math.min(begin + to - from, span);
      for (const fault of trouble.faults)
        ends.push(
          harness.aws.faults.add({ ...fault, where: (input) => lasts() && (fault.where?.(input) ?? true) }),
        );
    } else if (trouble.kind === 'blow') ends.push(clock.after(trouble.at, () => strike(trouble, 40)).cancel);
  }
  return () => {
    for (const end of ends) end();
  };
}

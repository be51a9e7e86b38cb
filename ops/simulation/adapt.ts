import type { Messaging, Subscriber } from '../../lib/topology/index.ts';
import type { Plan, Trouble } from './plan.ts';
import type { PlayOptions } from './types.ts';

/** A drawn plan as a consumer needs it that is no runtime of ours: the same history, on queues set up in its own way. */
export const adapted = (plan: Plan, { declare, calls = {} }: PlayOptions): Plan => ({
  ...plan,
  messaging: declared(plan.messaging, declare),
  troubles: plan.troubles.map((trouble) => redirected(trouble, calls)),
});

function declared(messaging: Messaging, declare: PlayOptions['declare']): Messaging {
  if (declare === undefined) return messaging;
  const drawn = Object.entries<Subscriber>(messaging.subscribers);
  return {
    ...messaging,
    subscribers: Object.fromEntries(drawn.map(([name, each]) => [name, declare(each)])),
  };
}

function redirected(trouble: Trouble, calls: NonNullable<PlayOptions['calls']>): Trouble {
  const turned = <Met extends { readonly action: string }>(met: Met): Met => ({
    ...met,
    action: calls[met.action] ?? met.action,
  });
  switch (trouble.kind) {
    case 'calls':
      return { ...trouble, fault: turned(trouble.fault) };
    case 'mishap':
      return { ...trouble, mishap: turned(trouble.mishap) };
    case 'outage':
      return { ...trouble, faults: trouble.faults.map(turned) };
    default:
      return trouble;
  }
}

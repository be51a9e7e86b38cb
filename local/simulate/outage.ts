import { type Milliseconds, type Seconds, toMilliseconds } from '../../lib/base/index.ts';
import type { Dispatcher } from '../dispatch.ts';
import type { ServiceId } from '../service.ts';

/** Every call of a service fails, from now on and for so long. */
export function startOutage(
  aws: Dispatcher,
  now: () => Milliseconds,
  service: ServiceId,
  length: Seconds,
): () => void {
  const until = now() + toMilliseconds(length);
  const actions = Object.keys(aws.services[service]?.operations ?? {}).map((action) => ({ service, action }));
  // A delivery of a topic to a queue is no action of the API, and needs both.
  const deliveries = /^s[nq]s$/.test(service) ? [{ service: 'sns', action: 'Deliver' } as const] : [];
  const ends = [...actions, ...deliveries].map((call) =>
    aws.faults.add({
      ...call,
      where: () => now() < until,
      effect: {
        error: { name: 'ServiceUnavailable', message: `${service} is away (planned)`, statusCode: 503 },
      },
    }),
  );
  return () => {
    for (const end of ends) end();
  };
}

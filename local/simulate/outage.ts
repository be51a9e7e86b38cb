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
  const actions = Object.keys(aws.services[service]?.operations ?? {});
  // A delivery of a topic is no action of the API.
  const ends = (service === 'sns' ? [...actions, 'Deliver'] : actions).map((action) =>
    aws.faults.add({
      service,
      action,
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

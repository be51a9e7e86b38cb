import type { IncomingMessage } from 'node:http';
import type { Dispatcher } from '../dispatch.ts';
import { ServiceError } from '../service.ts';
import { signedFor, signedInQuery } from './services.ts';

/** So many regions can be in use at once; AWS has fewer. */
const most = 60;

/** Whether a name is built as those of regions are: `eu-west-1`, `us-gov-east-1`. */
const isRegion = (name: string): boolean => /^[a-z]{2,4}(-[a-z]{2,12}){1,3}-\d{1,2}$/.test(name);

/** The path below which the queues of a further region are, as LocalStack has it: `/queue/eu-west-1`. */
export const queuePath = (region: string): string => `/queue/${region}`;

/**
 * Finds the model of the region that a request was signed for; an unsigned one to a queue's URL is for the queue's.
 * Without either, or with a name that is no region's, it is the first model's; so it is when no other can be made.
 */
export function regionsOf(
  first: Dispatcher,
  make: ((name: string) => Dispatcher) | undefined,
): (request: IncomingMessage) => Dispatcher {
  if (make === undefined) return () => first;
  const home = first.context.region;
  const inScope = `/${home}/`;
  const others = new Map<string, Dispatcher>();
  return ({ headers, url = '' }) => {
    // Nearly every request is for the first region: it costs no more than this look.
    if (headers.authorization?.includes(inScope) === true) return first;
    const signed = signedFor(headers.authorization) ?? signedInQuery(url.slice(url.indexOf('?') + 1));
    const region = signed?.region ?? /^\/queue\/([^/?]+)\//.exec(url)?.[1] ?? home;
    if (region === home || !isRegion(region)) return first;
    let model = others.get(region);
    if (model === undefined) {
      if (others.size + 1 >= most)
        throw new ServiceError(
          'InvalidRegion',
          `The model of AWS has ${most} regions already, ${region} would be one more. Start it anew.`,
        );
      model = make(region);
      others.set(region, model);
    }
    return model;
  };
}

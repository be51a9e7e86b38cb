import type { Subscriber } from '../../lib/topology/index.ts';
import type { Sent } from './judge/index.ts';
import type { Entry, Plan, Publish, Trouble } from './plan.ts';
import { plenty } from './topology.ts';

type Fate = Pick<Sent, 'fate' | 'reasons'>;

/** Troubles that never cost anybody an attempt. */
const harmless = new Set(['skew', 'duplicates', 'reordering', 'late-expiry', 'deploy', 'impatience']);

/** Reasons of a letter for an event that could be done, and had no luck. */
const misfortune = ['attempts', 'crash', 'unknown-outcome'];

/**
 * What is to become of a publish at a subscriber. An event that could be done is to be done, however much goes wrong;
 * unless so much goes wrong that its attempts may be used up: then a letter that says so is right too.
 */
export function fateAt(
  publish: Publish,
  drawn: Fate,
  subscriber: Subscriber,
  { troubles, ways }: Plan,
  tries: number,
): Fate {
  const fate = publish.fateFor?.[subscriber.name] ?? drawn;
  if (fate.fate !== 'effect') return fate;
  const outside = ways[subscriber.name]?.effect !== 'transaction' && subscriber.effects !== 'transactional';
  const givesUp = ways[subscriber.name]?.effect === 'unkeyed' && subscriber.onUnknownOutcome === 'park';
  const many = subscriber.attempts >= plenty && !givesUp;
  const tried =
    troubles.some((trouble) => costsAttempts(trouble, outside, many)) ||
    // Every copy of a message is a try of its own where nothing is claimed before the first.
    ((takesLong(publish) || tries > 1) && subscriber.attempts < plenty) ||
    (isFlaky(publish) && handlesCopies(subscriber) && troubles.some(makesCopies));
  if (!tried) return fate;
  // Without a key, a call that failed may have been carried out: such a handler does not try again.
  return { fate: 'either', reasons: givesUp ? [...misfortune, 'permanent'] : misfortune };
}

function costsAttempts(trouble: Trouble, outside: boolean, many: boolean): boolean {
  // With many attempts only one thing lasts long enough: a system outside that is down, or refuses many calls in a row.
  if (many) {
    if (!outside) return false;
    if (trouble.kind === 'outage') return trouble.faults.some(({ action }) => action === 'UpdateItem');
    return (
      trouble.kind === 'calls' &&
      trouble.fault.action === 'UpdateItem' &&
      Array.isArray(trouble.fault.at) &&
      trouble.fault.at.length > 3
    );
  }
  if (harmless.has(trouble.name)) return false;
  if (trouble.kind === 'calls') return trouble.fault.service === 'dynamodb';
  if (trouble.kind === 'outage') return trouble.faults.some(({ service }) => service === 'dynamodb');
  return true;
}

/**
 * First deliveries are handled before anybody claims them: of many copies that arrive at once each one runs, as the
 * first attempt, and each one that fails is an attempt.
 */
const handlesCopies = ({ effects }: Subscriber): boolean =>
  effects === 'transactional' || effects === 'atLeastOnce';

/** Whether publishers and topics send an event again and again, since they do not learn that it was taken. */
function makesCopies(trouble: Trouble): boolean {
  if (trouble.kind === 'duplicates') return true;
  const faults = trouble.kind === 'calls' ? [trouble.fault] : trouble.kind === 'outage' ? trouble.faults : [];
  return faults.some(({ service, effect }) => service === 'sns' && 'lostReply' in effect);
}

const isFlaky = ({ message }: Publish): boolean =>
  'data' in message && ['flaky', 'flakyAfter'].includes((message.data as Entry).nature);

const takesLong = ({ message }: Publish): boolean =>
  'data' in message && ['slow', 'deaf'].includes((message.data as Entry).nature);

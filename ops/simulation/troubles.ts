import { type Milliseconds, milliseconds, type Seconds, seconds } from '../../lib/base/index.ts';
import type { Messaging, Subscriber } from '../../lib/topology/index.ts';
import type { Fault, FaultEffect, Mishap } from '../../local/index.ts';
import type { Dice } from './dice.ts';
import type { Trouble } from './plan.ts';

/**
 * Everything that can go wrong, by the names that `--faults` takes.
 *
 * @example
 * ```ts
 * console.log(Object.keys(troubles).join(', '));
 * ```
 */
export const troubles = {
  'crash-before': 'a worker dies before a call that it is about to make',
  'crash-after': 'a worker dies after a call was carried out, before it sees the answer',
  kill: 'a worker dies at some moment of its work',
  'lost-reply': 'a call is carried out, and its answer never arrives',
  impatience: 'workers and publishers do not try a call again by themselves',
  throttling: 'a call is refused: throttled, or an error of the service',
  outage: 'every call to a service fails for a while',
  'slow-service': 'a call takes long',
  'slow-downstream': 'the system outside, where effects are made, takes long',
  freeze: 'a worker stands still, often past its lease, and goes on',
  skew: 'the clocks of workers disagree',
  duplicates: 'a standard queue delivers a message twice',
  reordering: 'a standard queue delivers messages out of order',
  'late-expiry': 'expired records lie around for up to two days',
  deploy: 'a new version is deployed while the old one is at work',
} as const satisfies Readonly<Record<string, string>>;

/**
 * The name of something that can go wrong.
 *
 * @example
 * ```ts
 * const name: TroubleName = 'freeze';
 * ```
 */
export type TroubleName = keyof typeof troubles;

/**
 * Whether a text names something that can go wrong.
 *
 * @example
 * ```ts
 * if (!isTrouble(name)) throw new RangeError(`There is no fault "${name}".`);
 * ```
 */
export const isTrouble = (name: string): name is TroubleName => Object.hasOwn(troubles, name);

/** The calls of a worker, those at which much is at stake more often. */
const workerActions = [
  ['dynamodb', 'BatchExecuteStatement'],
  ['dynamodb', 'BatchExecuteStatement'],
  ['dynamodb', 'TransactWriteItems'],
  ['dynamodb', 'TransactWriteItems'],
  ['dynamodb', 'BatchGetItem'],
  ['dynamodb', 'UpdateItem'],
  ['dynamodb', 'UpdateItem'],
  ['sqs', 'ChangeMessageVisibilityBatch'],
  ['sqs', 'SendMessage'],
  ['sqs', 'SendMessage'],
] as const;

/** The calls with which an effect happens: who stands still just before one does harm when it goes on, if anybody does. */
const effectActions = [
  ['dynamodb', 'TransactWriteItems'],
  ['dynamodb', 'UpdateItem'],
] as const;

/** Those of event sources, publishers and topics. */
const otherActions = [
  ['sqs', 'DeleteMessageBatch'],
  ['sqs', 'DeleteMessageBatch'],
  ['sqs', 'ReceiveMessage'],
  ['sns', 'Publish'],
  ['sns', 'Deliver'],
] as const;

const actions = [...workerActions, ...otherActions];

/** Nothing was done: the service says so, or is not able to. */
const refusals: readonly FaultEffect[] = [
  { error: { name: 'ThrottlingException', statusCode: 400 } },
  { error: { name: 'InternalServerError', statusCode: 500 } },
];

/** What SNS meets and cannot try again is lost to the queue by AWS's own rule: it is never planned for deliveries. */
const serverError: FaultEffect = { error: { name: 'InternalServerError', statusCode: 500 } };

/** Effects without a key lie in a table of their own: whoever repeats such a call on a lost reply repeats the effect. */
export const tables = { effects: 'effects', calls: 'calls' } as const;

const repeatable: NonNullable<Fault['where']> = ({ TableName }) => TableName !== tables.calls;

/**
 * What goes wrong over a span of milliseconds. Each kind is drawn by itself, so that leaving one out leaves the others as
 * they are.
 *
 * @param scale - how many times as much as in a short history
 */
export function drawTroubles(dice: Dice, messaging: Messaging, span: number, scale: number): Trouble[] {
  const { between, chance, pick, several } = dice;
  const names = Object.keys(messaging.subscribers);
  const longest = Math.max(...Object.values<Subscriber>(messaging.subscribers).map(({ lease }) => lease));
  const stretch = (): Seconds => seconds(chance(0.6) ? longest + between(1, 20) : between(1, longest));
  const moments = (): Milliseconds => milliseconds(between(0, span));
  const calls = (): number[] => several(between(1, 3), 1, pick([4, 12, 40]) * scale);
  /** One after another, so that those whose clients try again by themselves meet them too. */
  const row = (): number[] => {
    const from = between(1, pick([2, 6, 12]) * scale);
    return Array.from({ length: between(3, 16) }, (_, index) => from + index);
  };
  // Where everything goes wrong at once, nothing is seen clearly: most histories have a few kinds, some have all.
  const share = pick([0.15, 0.3, 0.3, 0.6]);
  const some = (least: number, most: number): number => (chance(share) ? between(least, most) : 0);
  const found: Trouble[] = [];
  const each = (count: number, make: () => Trouble) => {
    for (let number = 0; number < count; number++) found.push(make());
  };
  const fault = (
    name: TroubleName,
    service: Fault['service'],
    action: string,
    effect: FaultEffect,
    text: string,
  ): Trouble => ({
    name,
    kind: 'calls',
    text,
    fault: {
      ...(service === undefined ? {} : { service }),
      action,
      at: chance(0.5) ? row() : calls(),
      effect,
      ...(action === 'UpdateItem' && 'lostReply' in effect ? { where: repeatable } : {}),
    },
  });
  const mishap = (
    name: TroubleName,
    moment: Mishap['moment'],
    effect: Mishap['effect'],
    from: readonly (readonly [NonNullable<Mishap['service']>, string])[] = workerActions,
  ): Trouble => {
    const [service, action] = pick(from);
    return {
      name,
      kind: 'mishap',
      mishap: { subscriber: pick(names), service, action, moment, at: calls(), effect },
    };
  };

  each(some(1, 3 * scale), () => mishap('crash-before', 'before', 'crash'));
  each(some(1, 3 * scale), () => mishap('crash-after', 'after', 'crash'));
  each(some(1, 4 * scale), () => ({
    name: 'kill',
    kind: 'blow',
    at: moments(),
    subscriber: pick(names),
    blow: 'kill',
  }));
  each(some(1, 4 * scale), () => {
    const [service, action] = pick(actions);
    return fault('lost-reply', service, action, { lostReply: true }, `the answer to ${action} is lost`);
  });
  each(some(1, 4 * scale), () => {
    const [service, action] = pick(actions);
    const effect = action === 'Deliver' ? serverError : pick(refusals);
    return fault('throttling', service, action, effect, `${action} is refused`);
  });
  each(some(1, 2 * scale), () => outage(dice, span));
  each(some(1, scale), () => silence(dice, span));
  each(some(1, 3 * scale), () => {
    const [service, action] = pick(actions.filter(([, action]) => action !== 'Deliver'));
    const delay = milliseconds(chance(0.5) ? between(50, 2_000) : between(2_000, 25_000));
    return fault('slow-service', service, action, { delay }, `${action} takes ${delay} ms`);
  });
  each(some(1, 3 * scale), () => {
    const delay = milliseconds(between(1_000, 30_000));
    return fault(
      'slow-downstream',
      'dynamodb',
      'UpdateItem',
      { delay },
      `the system outside takes ${delay} ms`,
    );
  });
  each(some(1, 3 * scale), () =>
    chance(0.7)
      ? chance(0.5)
        ? mishap('freeze', 'before', { freeze: stretch() }, effectActions)
        : mishap('freeze', pick(['before', 'after']), { freeze: stretch() })
      : { name: 'freeze', kind: 'blow', at: moments(), subscriber: pick(names), blow: { freeze: stretch() } },
  );
  each(some(1, 1), () => {
    const most = pick([50, 500, 1_000, 30_000]);
    return {
      name: 'skew',
      kind: 'skew',
      environments: Array.from({ length: 8 }, () => milliseconds(between(-most, most))),
    };
  });
  each(some(1, 1), () => ({ name: 'impatience', kind: 'impatience' }));
  each(some(1, 1), () => ({ name: 'duplicates', kind: 'duplicates', rate: pick([0.05, 0.1, 0.2]) }));
  each(some(1, 1), () => ({ name: 'reordering', kind: 'reordering', window: pick([3, 10]) }));
  each(some(1, 1), () => ({
    name: 'late-expiry',
    kind: 'late expiry',
    delay: milliseconds(between(1, 48) * 3_600_000),
  }));
  each(some(1, 2 * scale), () => ({
    name: 'deploy',
    kind: 'blow',
    at: moments(),
    subscriber: pick(names),
    blow: 'deploy',
  }));
  return found;
}

/** From some commit on the tables do what they are told, and say nothing. */
function silence({ between }: Dice, span: number): Trouble {
  const from = milliseconds(between(0, span));
  const named = actions.filter(([service]) => service === 'dynamodb').map(([, action]) => action);
  return {
    name: 'outage',
    kind: 'outage',
    from,
    to: milliseconds(from + between(4_000, 20_000)),
    withCommit: true,
    text: 'dynamodb answers nobody, from a commit on',
    faults: [...new Set(named)].map((action) => ({
      service: 'dynamodb',
      action,
      effect: { lostReply: true },
      ...(action === 'UpdateItem' ? { where: repeatable } : {}),
    })),
  };
}

/** A stretch in which every call to a service, or every call of one action, fails. */
function outage({ between, chance, pick }: Dice, span: number): Trouble {
  const from = milliseconds(between(0, span));
  const length = between(3_000, 40_000);
  const [service, one] = pick(actions);
  const all = chance(0.6);
  const effect = pick<FaultEffect>([serverError, { lostReply: true }]);
  // Who does not learn that an event was taken sends it again: dozens of copies of one would be another history.
  const copies = service === 'sns' && 'lostReply' in effect;
  const whole = all && !copies;
  const to = milliseconds(from + (copies ? length / 10 : length));
  const met = whole ? actions.filter(([of]) => of === service).map(([, action]) => action) : [one];
  return {
    name: 'outage',
    kind: 'outage',
    from,
    to,
    text: `${whole ? service : one} ${'lostReply' in effect ? 'answers nobody' : 'is down'}`,
    faults: [...new Set(met)].map((action) => ({
      service,
      action,
      effect,
      ...(action === 'UpdateItem' && 'lostReply' in effect ? { where: repeatable } : {}),
    })),
  };
}

import { runInNewContext } from 'node:vm';
import { RetryLater } from 'sluice/lambda';
import { type Seconds, seconds } from '../../../lib/topology/index.ts';

/** What a handler can throw: a name for the report, and what is thrown. */
export const thrown: readonly (readonly [name: string, make: () => unknown])[] = [
  ['undefined', () => undefined],
  ['null', () => null],
  ['zero', () => 0],
  ['empty text', () => ''],
  ['text', () => 'text'],
  ['bigint', () => 1n],
  ['symbol', () => Symbol('s')],
  ['function', () => () => undefined],
  ['frozen object', () => Object.freeze({ name: 7 })],
  ['object without prototype', () => Object.create(null)],
  ['frozen error', () => Object.freeze(new Error('frozen'))],
  ['error without a name', () => Object.assign(new Error('x'), { name: undefined, message: undefined })],
  ['error with a symbol as its name', () => Object.assign(new Error('x'), { name: Symbol('name') })],
  [
    'error with an object as its message',
    () => Object.assign(new Error('x'), { message: Object.create(null) }),
  ],
  ['error that is its own cause', () => cyclic()],
  ['AggregateError', () => new AggregateError([new Error('a'), undefined, cyclic()], 'many')],
  ['DOMException', () => new DOMException('gone', 'AbortError')],
  ['error of another realm', () => runInNewContext('new TypeError("elsewhere")') as unknown],
  ['very long message', () => new Error('m'.repeat(5_000_000))],
  ['message of half an emoji', () => new Error(`${'x'.repeat(1_010)}😀\ud83d`)],
  ['message of control characters', () => new Error('\u0000\u0007\uffff')],
  ['getters that throw', () => withGetters(new Error('x'), ['name', 'message', 'stack', 'cause', '$fault'])],
  ['permanent by a getter that throws', () => withGetters(new Error('x'), ['permanent', 'after', 'reason'])],
  ['a wait that cannot be read', () => withGetters(new RetryLater({ after: seconds(3) }), ['after'])],
  ['a wait that is none', () => new RetryLater({ after: Number.NaN as Seconds })],
  ['proxy whose traps throw', () => hostile(0)],
  ['proxy of a prototype', () => Object.create(hostile(0) as object)],
  ['revoked proxy', () => revoked()],
  ['promise', () => Promise.resolve('never looked at')],
];

/** What a handler can give back without having thrown: whether it fails, and what is given back. */
export const returned: readonly (readonly [name: string, fails: boolean, make: () => unknown])[] = [
  ['nothing', false, () => undefined],
  ['null', false, () => null],
  ['text', false, () => 'text'],
  ['a batch response', false, () => Promise.resolve({ batchItemFailures: [{ itemIdentifier: 'mate-0' }] })],
  ['a hostile proxy', true, () => hostile(0)],
  ['an object with a `then` that is no function', false, () => thenable(7)],
  ['thenable that resolves', false, () => thenable((resolve: () => void) => resolve())],
  ['thenable that resolves, then rejects', false, () => thenable(settleTwice(false))],
  ['thenable that rejects, then resolves', true, () => thenable(settleTwice(true))],
  [
    'thenable that rejects',
    true,
    () => thenable((_: unknown, reject: (error: unknown) => void) => reject('no')),
  ],
  ['thenable that throws', true, () => thenable(raise)],
  [
    'thenable that throws after it resolved',
    false,
    () =>
      thenable((resolve: () => void) => {
        resolve();
        raise();
      }),
  ],
  ['getter of `then` that throws', true, () => Object.defineProperty({}, 'then', { get: raise })],
  ['thenable that never settles', true, () => thenable(() => undefined)],
  ['promise that never settles', true, () => new Promise(() => undefined)],
  [
    'promise with a `then` that lies',
    true,
    () => Object.defineProperty(Promise.reject(new Error('real')), 'then', { value: () => 'fine' }),
  ],
];

/** Throws. */
export function raise(): never {
  throw new Error('raised');
}

function cyclic(): Error {
  const error = new Error('cyclic');
  error.cause = error;
  return error;
}

/** Makes members of an object throw when they are read. */
export function withGetters<Target extends object>(target: Target, names: readonly string[]): Target {
  for (const name of names)
    Object.defineProperty(target, name, { get: raise, enumerable: true, configurable: true });
  return target;
}

/** A proxy of an error, all of whose traps throw from the n-th look on. */
export function hostile(looks: number): unknown {
  let left = looks;
  const traps = new Proxy(
    {},
    {
      get:
        (_, trap) =>
        (...args: unknown[]) => {
          if (left-- > 0)
            return (Reflect as unknown as Record<string | symbol, (...args: unknown[]) => unknown>)[trap]!(
              ...args,
            );
          throw new Error('trap');
        },
    },
  );
  return new Proxy(new Error('behind a proxy'), traps);
}

function revoked(): unknown {
  const { proxy, revoke } = Proxy.revocable(new Error('x'), {});
  revoke();
  return proxy;
}

/** An object with a member `then`. */
export const thenable = (then: unknown): unknown => Object.defineProperty({}, 'then', { value: then });

const settleTwice = (fails: boolean) => (resolve: () => void, reject: (error: Error) => void) => {
  if (fails) reject(new Error('first'));
  resolve();
  reject(new Error('second'));
};

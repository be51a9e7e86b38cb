import { milliseconds, seconds, sleep, toMilliseconds } from '../../../lib/base/index.ts';
import {
  type AwsModel,
  createAws,
  createEndpoint,
  createVirtualClock,
  type Dispatcher,
  inProcessExecutor,
  type VirtualClock,
  workerExecutor,
} from '../../../local/index.ts';
import type { InProcessHandler } from '../../../local/lambda/index.ts';
import type { ConformanceCase } from '../case.ts';
import { type Orders, obey, type Report } from '../functions/orders.ts';
import type { World } from '../world.ts';
import { clientsFor } from './clients.ts';
import { eventuallyOver, namesOf } from './time.ts';

const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };

/** How far the clock moves at once while a call waits inside the model, in milliseconds. */
const stride = milliseconds(50);

/**
 * The model on a clock that stands still, unless a case lets time pass or a call waits inside the model: a long poll
 * moves it until it is answered. With functions, which are threads of this machine, it is the machine's clock.
 */
export async function withModel(
  one: ConformanceCase,
  play: (world: World) => Promise<void>,
  called: (service: string) => void = () => {},
): Promise<void> {
  const virtual = one.functions === true ? undefined : createVirtualClock(milliseconds(Date.now()));
  let stop = () => {};
  const endpoint = await createEndpoint(
    (url) => {
      const aws: AwsModel = createAws({
        endpoint: url,
        ...(virtual === undefined
          ? { executor: (log) => workerExecutor({ log }) }
          : {
              clock: virtual,
              executor: () =>
                inProcessExecutor({ clock: virtual, handlers: () => recorderOf(virtual, () => aws) }),
            }),
      });
      stop = aws.stop;
      return countedBy(called, virtual === undefined ? aws : movedByWaiting(aws, virtual));
    },
    { port: 0 },
  );
  const { url } = endpoint;
  const clients = clientsFor({ endpoint: url, region: 'us-east-1', credentials });
  const now = () => (virtual === undefined ? Date.now() : virtual.now());
  const pass = (seconds: number) =>
    virtual === undefined
      ? new Promise<void>((resolve) => setTimeout(resolve, seconds * 1000))
      : virtual.advance(milliseconds(Math.round(seconds * 1000)));
  const place = { server: 'model', url, account: '000000000000', region: 'us-east-1' } as const;
  const removals: (() => Promise<unknown>)[] = [];
  const world = Object.defineProperties(
    {
      ...place,
      name: namesOf('model'),
      now,
      pass,
      eventually: eventuallyOver(pass, now),
      after: (remove: () => Promise<unknown>) => void removals.push(remove),
    },
    Object.getOwnPropertyDescriptors(clients),
  ) as unknown as World;
  try {
    await play(world);
  } finally {
    stop();
    clients.destroy();
    await endpoint.close();
  }
}

/** The recorder as a function of this process, on the model's clock: it reports straight to the model. */
const recorderOf =
  (clock: VirtualClock, aws: () => AwsModel): InProcessHandler =>
  (event, context, { configuration, signal, kill }) => {
    const alive = () => {
      if (signal.aborted) throw new Error('The environment has ended.');
    };
    return obey(event as Orders & Report['event'], context, {
      variables: {
        ...configuration.variables,
        AWS_REGION: configuration.region,
        AWS_LAMBDA_FUNCTION_NAME: configuration.functionName,
      },
      now: clock.now,
      sleep: async (length) => {
        await sleep(clock, toMilliseconds(seconds(length)), signal);
        alive();
      },
      exit: () => {
        kill();
        alive();
      },
      send: async (QueueUrl, MessageBody) => {
        alive();
        await aws().call('sqs', 'SendMessage', { QueueUrl, MessageBody });
      },
    });
  };

/** The model, telling of each call from outside. */
const countedBy = (called: (service: string) => void, aws: Dispatcher): Dispatcher => ({
  ...aws,
  call(...arguments_) {
    called(arguments_[0]);
    return aws.call(...arguments_);
  },
});

/** The model, with a clock that moves while one of its answers is waited for. */
function movedByWaiting(aws: Dispatcher, clock: VirtualClock): Dispatcher {
  let waiting = 0;
  let moving = false;
  const move = async () => {
    if (moving) return;
    moving = true;
    await clock.settle();
    while (waiting > 0) await clock.advance(stride);
    moving = false;
  };
  return {
    ...aws,
    call(...arguments_) {
      const answer = aws.call(...arguments_);
      if (!(answer instanceof Promise)) return answer;
      waiting += 1;
      void move();
      return answer.finally(() => {
        waiting -= 1;
      });
    },
  };
}

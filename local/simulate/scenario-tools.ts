import type { Clock } from '../../lib/base/index.ts';
import type { HarnessTools } from '../harness/index.ts';
import type { Driver } from './driver.ts';

/**
 * The tools of the scenario itself. Nobody moves the clock while it waits for an answer of its own, a publish that is
 * tried again for example: so time passes by itself until that is there.
 */
export function followed(driver: Driver, tools: HarnessTools): HarnessTools {
  const client = <Client extends { send: unknown }>(model: Client): Client => {
    const { send } = model as { readonly send: (...input: unknown[]) => Promise<unknown> };
    return { ...model, send: (...input: unknown[]) => driver.follow(send(...input)) };
  };
  return {
    ...tools,
    sqs: client(tools.sqs),
    sns: client(tools.sns),
    dynamodb: client(tools.dynamodb),
    cloudwatch: client(tools.cloudwatch),
    clock: followedClock(driver, tools.clock),
  };
}

const followedClock = (driver: Driver, clock: Clock): Clock => ({
  now: () => clock.now(),
  after(delay, task) {
    let over = () => {};
    const waiting = new Promise<void>((resolve) => {
      over = resolve;
    });
    const timer = clock.after(delay, () => {
      over();
      task();
    });
    void driver.follow(waiting);
    return {
      cancel() {
        timer.cancel();
        over();
      },
    };
  },
});

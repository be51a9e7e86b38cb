import { shareClock } from '../../local/simulate/global-clock.ts';
import { type Place, runIn } from '../../local/simulate/place.ts';
import type { BuildConsumer } from '../../ops/simulation/index.ts';

/*
 * A library asks the language for the time and sets its own timers. Here it finds the clock of its environment, skew and
 * freezes included, as user code does in `simulate` of `sluice/local`.
 */

/** The function of a library, whose code lives on the clock of its environment. */
export const onVirtualClock =
  (build: BuildConsumer): BuildConsumer =>
  (order) => {
    const { subscriber, tools } = order;
    let place: Place | undefined;
    let handler: ReturnType<BuildConsumer> | undefined;
    return (event, context, environment) => {
      place ??= {
        subscriber,
        clock: tools.clock,
        random: tools.random,
        startedAt: tools.clock.now(),
        signal: environment.signal,
        invocation: undefined,
        timers: new Set(),
        held: [],
        calls: new Set(),
        fail(error) {
          throw error;
        },
        crash: environment.kill,
      };
      // The harness freezes what is idle; the place has nothing to hold back.
      place.invocation = { events: [], startedAt: tools.clock.now() };
      return runIn(place, () => {
        handler ??= build(order);
        return handler(event, context, environment);
      });
    };
  };

/** Runs while code of simulated environments is served the virtual clock. */
export async function withVirtualClock<Result>(run: () => Promise<Result>): Promise<Result> {
  const end = shareClock();
  try {
    return await run();
  } finally {
    end();
  }
}

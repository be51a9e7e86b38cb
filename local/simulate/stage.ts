import { minutes, toMilliseconds } from '../../lib/base/index.ts';
import type { EventFor, Messaging, SubscriberName } from '../../lib/topology/index.ts';
import { type Harness, type LogLine, lettersIn, placesOf } from '../harness/index.ts';
import type { Driver } from './driver.ts';
import { plainItem } from './items.ts';
import type { LagWatch } from './lag.ts';
import { type ReadLetter, readLetter } from './letters.ts';
import { startOutage } from './outage.ts';
import { followed } from './scenario-tools.ts';
import type { Simulation } from './simulation.ts';

/** What a scenario is given, on a harness whose clock the driver moves. */
export function stageOf<M extends Messaging, Table extends string>(
  harness: Harness<M>,
  driver: Driver,
  lags: LagWatch,
  consumed: readonly SubscriberName<M>[],
): Simulation<M, Table> {
  const { aws, clock, logs, mishaps, befall, kill, freeze, deploy } = harness;
  const left = () =>
    consumed.flatMap((name) => {
      const { arn, visible, inFlight, delayed } = harness.queue(name);
      const waiting = visible + delayed + aws.sns.undelivered(arn);
      return waiting + inFlight === 0 ? [] : [`${name}: ${waiting} wait, ${inFlight} in flight`];
    });
  return {
    tools: followed(driver, harness.tools),
    now: () => clock.now(),
    async advance(length) {
      if (!Number.isFinite(length) || length < 0)
        throw new RangeError(
          `advance was given ${length} s; allowed: 0 and more. Time goes on, and not back: seconds(5), minutes(10).`,
        );
      await driver.move(toMilliseconds(length));
    },
    async drain(within = minutes(60)) {
      const took = await driver.move(toMilliseconds(within), () => left().length === 0);
      const rest = left().join('; ');
      if (rest !== '')
        throw new Error(`After ${within} s there are messages left: ${rest}. ${lastTrouble(logs)}`);
      return took;
    },
    fail: (fault) => aws.faults.add(fault),
    outage: (service, length) => startOutage(aws, () => clock.now(), service, length),
    befall,
    kill,
    freeze,
    deploy,
    effects: (table) => aws.dynamodb.items(table).map(plainItem),
    deadLetters: <Name extends SubscriberName<M>>(subscriber: Name) =>
      lettersIn(aws, placesOf(harness.deployed, subscriber).deadLetterQueue.arn).map(
        (letter) => readLetter(letter) as ReadLetter<EventFor<M, Name>>,
      ),
    lag: lags.lag,
    queue: harness.queue,
    records: () => harness.records().map(plainItem),
    logs,
    faults: aws.faults.happened,
    mishaps,
  };
}

/** What may say why messages are left. */
function lastTrouble(logs: readonly LogLine[]): string {
  const line = logs.findLast(({ level }) => level === 'error' || level === 'warn');
  return line === undefined
    ? 'Nothing was logged of it.'
    : `Logged last: ${line.message} ${JSON.stringify(line.fields)}`;
}

import type { PutCompositeAlarmCommandInput, PutMetricAlarmCommandInput } from '@aws-sdk/client-cloudwatch';
import { PutCompositeAlarmCommand, PutMetricAlarmCommand } from '@aws-sdk/client-cloudwatch';
import { alarmsOf, type PhysicalName } from '../../../lib/monitoring/index.ts';
import type { Messaging } from '../../../lib/topology/index.ts';
import type { Harness } from '../../../local/index.ts';
import { compositeInput, metricInput } from '../../support/alarm-inputs.ts';

/** Puts the alarms of a declaration into the harness' CloudWatch, as the stack does; gives those that have fired. */
export async function watch<M extends Messaging>(
  harness: Harness<M>,
  messaging: M,
): Promise<readonly string[]> {
  const fired: string[] = [];
  const nameOf = (arn: string) => arn.slice(arn.lastIndexOf(':') + 1);
  const physicalName: PhysicalName = (target) => {
    if (target.kind === 'topic') return nameOf(harness.deployed.topicArns[target.topic] as string);
    const places = harness.deployed.subscribers[target.subscriber]!;
    return target.kind === 'function' ? places.functionName : nameOf(places[target.kind].arn);
  };
  const { cloudwatch } = harness.tools;
  for (const alarm of alarmsOf(messaging))
    if (alarm.kind === 'metric')
      await cloudwatch.send(
        new PutMetricAlarmCommand(metricInput(alarm, physicalName) satisfies PutMetricAlarmCommandInput),
      );
    else
      await cloudwatch.send(
        new PutCompositeAlarmCommand(compositeInput(alarm) satisfies PutCompositeAlarmCommandInput),
      );
  harness.aws.cloudwatch.onAlarmChange(({ name, to }) => {
    if (to === 'ALARM') fired.push(name);
  });
  return fired;
}

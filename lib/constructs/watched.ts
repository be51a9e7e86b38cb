import {
  type AlarmDefinition,
  keepAlarms,
  type MetricAlarmDefinition,
  type MetricDefinition,
} from '../monitoring/index.ts';
import type { AlarmSet, Consumers } from './switches.ts';

/** The alarms that a stack with these switches has. What a composite spoke for that is left out notifies by itself. */
export function alarmsWanted(
  definitions: readonly AlarmDefinition[],
  set: AlarmSet,
  consumers: Consumers,
): readonly AlarmDefinition[] {
  if (set === 'none') return [];
  return keepAlarms(definitions, (definition) =>
    definition.kind === 'composite'
      ? set === 'all'
      : definition.metrics.every((metric) => exists(metric, consumers)) &&
        (set === 'all' || isPlain(definition)),
  );
}

/** One metric as it is, without an expression. */
const isPlain = ({ metrics, expression }: MetricAlarmDefinition): boolean =>
  metrics.length === 1 && metrics[0]?.id === expression;

/** Without functions there is nothing that Lambda counts. */
const exists = ({ target }: MetricDefinition, consumers: Consumers): boolean =>
  target.kind !== 'function' || consumers === 'lambda';

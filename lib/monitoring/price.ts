import type { AlarmDefinition } from './alarm.ts';
import { prices } from './prices.ts';

/**
 * What alarms cost, in dollars a month, without the free tier's ten.
 *
 * @example
 * ```ts
 * monthlyPrice(subscriberAlarms(shop.subscribers.payments)); // 1
 * ```
 */
export const monthlyPrice = (definitions: readonly AlarmDefinition[]): number => {
  const each = definitions.map((definition) =>
    definition.kind === 'composite'
      ? prices.compositeAlarm.value
      : prices.alarmMetric.value * definition.metrics.length,
  );
  // Tenths of a dollar have no exact number: to the cent.
  return Math.round(each.reduce((sum, price) => sum + price, 0) * 100) / 100;
};

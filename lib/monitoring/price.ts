import type { AlarmDefinition } from './alarm.ts';

/** Dollars a month in us-east-1 for alarms of a minute and longer (CloudWatch pricing page, November 2026). */
export const alarmPrices = {
  /** For each metric that an alarm reads. */
  metric: 0.1,
  composite: 0.5,
} as const;

/**
 * What alarms cost, in dollars a month, without the free tier's ten.
 *
 * @example
 * ```ts
 * monthlyPrice(subscriberAlarms(shop.subscribers.payments)); // 1
 * ```
 */
export const monthlyPrice = (definitions: readonly AlarmDefinition[]): number => {
  const prices = definitions.map((definition) =>
    definition.kind === 'composite' ? alarmPrices.composite : alarmPrices.metric * definition.metrics.length,
  );
  // Tenths of a dollar have no exact number: to the cent.
  return Math.round(prices.reduce((sum, price) => sum + price, 0) * 100) / 100;
};

/**
 * A price, with the page that says it.
 *
 * @example
 * ```ts
 * const { value, unit, source }: Price = prices.writeUnits;
 * ```
 */
export interface Price {
  /** US dollars. */
  readonly value: number;
  /** What the dollars buy. */
  readonly unit: string;
  readonly source: string;
  /** The month in which the page was read. */
  readonly asOf: string;
}

const price = (value: number, unit: string, source: string): Price => ({
  value,
  unit,
  source,
  asOf: '2026-11',
});

/**
 * List prices of us-east-1, without free tiers and savings: what the dashboard's estimates and the price of alarms are made from. Another region
 * costs some per cent more; the shape of a curve is the same.
 *
 * @example
 * ```ts
 * prices.writeUnits.value; // 0.625, US dollars for a million
 * ```
 */
export const prices = {
  sqsStandard: price(0.4, 'million requests', 'Amazon SQS pricing'),
  sqsFifo: price(0.5, 'million requests', 'Amazon SQS pricing'),
  snsStandard: price(0.5, 'million publishes', 'Amazon SNS pricing'),
  snsFifo: price(0.3, 'million publishes', 'Amazon SNS pricing'),
  snsFifoSize: price(0.017, 'GB published', 'Amazon SNS pricing'),
  snsFifoDelivery: price(0.01, 'million deliveries', 'Amazon SNS pricing'),
  lambdaRequests: price(0.2, 'million invocations', 'AWS Lambda pricing'),
  /** Arm, as the stack's functions are. */
  lambdaTime: price(0.0000133334, 'GB-second', 'AWS Lambda pricing'),
  writeUnits: price(0.625, 'million write request units', 'Amazon DynamoDB pricing, on demand'),
  /** For each metric that an alarm reads, in a period of a minute or longer. */
  alarmMetric: price(0.1, 'metric of an alarm, a month', 'Amazon CloudWatch pricing'),
  compositeAlarm: price(0.5, 'composite alarm, a month', 'Amazon CloudWatch pricing'),
  readUnits: price(0.125, 'million read request units', 'Amazon DynamoDB pricing, on demand'),
} as const satisfies Record<string, Price>;

import { type Seconds, seconds } from '../topology/index.ts';
import { longestRange, longestRangeUnderAnHour } from './limits.ts';

/**
 * How long a consumer may complete nothing, in periods of an alarm.
 *
 * @example
 * ```ts
 * stallWindow(minutes(15)); // { period: 60, periods: 30 }
 * ```
 */
export interface StallWindow {
  readonly period: Seconds;
  readonly periods: number;
  /** Why the window is not what the handler's time asks for, where it is not. */
  readonly note?: string;
}

const minute = 60;
const hour = 3_600;

/**
 * How long nothing may be completed before a consumer counts as stalled. A healthy one can be silent for two of its longest
 * runs, those beyond the p99 aside. Five minutes at least: the event source needs that long to come back from a
 * deployment.
 *
 * CloudWatch looks back a day by the minute and a week by the hour: beyond twelve hours of work the periods are hours,
 * and beyond half a week the window ends at a week, with a note.
 *
 * @param handlerTime - the handler's p99, as the subscriber's `handlerTime` has it
 * @example
 * ```ts
 * stallWindow(hours(12)); // { period: 60, periods: 1440 }
 * stallWindow(hours(13)); // { period: 3600, periods: 26 }
 * ```
 */
export function stallWindow(handlerTime: Seconds): StallWindow {
  const wanted = 2 * handlerTime;
  if (wanted <= longestRangeUnderAnHour)
    return { period: seconds(minute), periods: Math.max(5, Math.ceil(wanted / minute)) };
  const periods = Math.ceil(wanted / hour);
  const most = longestRange / hour;
  if (periods <= most) return { period: seconds(hour), periods };
  return {
    period: seconds(hour),
    periods: most,
    note: `twice the handler's ${handlerTime} s is longer than the week that CloudWatch looks back, so a healthy run can be told as well`,
  };
}

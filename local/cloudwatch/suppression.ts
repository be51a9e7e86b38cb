import { type Clock, seconds, type Timer, toMilliseconds } from '../../lib/base/index.ts';
import type { AlarmState } from './alarm-state.ts';

/** Why the actions of a composite alarm wait, in the words of `ActionsSuppressedBy`. */
export type SuppressedBy = 'Alarm' | 'WaitPeriod' | 'ExtensionPeriod';

/** What the suppression of a composite alarm's actions is told. */
export interface SuppressionSettings {
  /** Whether the suppressor is in ALARM now. */
  readonly suppressing: () => boolean;
  /** How long an action waits for the suppressor to go off, in seconds. */
  readonly wait: number;
  /** How long actions wait after the suppressor went back, in seconds. */
  readonly extension: number;
  /** Runs the actions of a change from `from` to the present state. */
  readonly act: (from: AlarmState) => void;
  readonly current: () => AlarmState;
}

/** The suppression of one composite alarm's actions. */
export interface Suppression {
  readonly by: () => SuppressedBy | undefined;
  /** The composite alarm has changed. */
  changed(from: AlarmState): void;
  /** The suppressor has changed. */
  suppressorChanged(): void;
  stop(): void;
}

/**
 * Holds back the actions of a composite alarm while its suppressor is in ALARM (CloudWatch user guide, "Alarm
 * suppression").
 *
 *     composite changes     the suppressor is in ALARM      held: Alarm
 *                           it is not, there is a wait      held: WaitPeriod; when it ends, the actions run
 *     suppressor goes off   whatever was held               held: Alarm
 *     suppressor goes back  there is an extension           held: ExtensionPeriod; when it ends, the actions run
 *
 * What was held runs once, for the state that the alarm has then; nothing runs when that is the state before.
 */
export function createSuppression(clock: Clock, settings: SuppressionSettings): Suppression {
  let by: SuppressedBy | undefined;
  let heldFrom: AlarmState | undefined;
  let timer: Timer | undefined;

  const release = () => {
    timer?.cancel();
    timer = undefined;
    by = undefined;
    const from = heldFrom;
    heldFrom = undefined;
    if (from !== undefined && from !== settings.current()) settings.act(from);
  };
  const hold = (reason: SuppressedBy, length: number) => {
    timer?.cancel();
    by = reason;
    timer = clock.after(toMilliseconds(seconds(length)), release);
  };
  const holdForAlarm = () => {
    timer?.cancel();
    timer = undefined;
    by = 'Alarm';
  };

  return {
    by: () => by,
    changed(from) {
      if (by === undefined && settings.suppressing()) holdForAlarm();
      if (by === undefined && settings.wait > 0) hold('WaitPeriod', settings.wait);
      if (by === undefined) return settings.act(from);
      heldFrom ??= from;
    },
    suppressorChanged() {
      if (settings.suppressing()) holdForAlarm();
      else if (by === 'Alarm' && settings.extension > 0) hold('ExtensionPeriod', settings.extension);
      else if (by === 'Alarm') release();
    },
    stop() {
      timer?.cancel();
    },
  };
}

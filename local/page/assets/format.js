const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** @param {number} value */
export const count = (value) => whole.format(value);

/** @param {number} value */
export const compact = (value) => short.format(value);

/**
 * A length of time as a person says it: `0.4 s`, `12 s`, `3 min 20 s`.
 *
 * @param {number} seconds
 */
export function duration(seconds) {
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  const rest = Math.round(seconds % 60);
  return `${Math.floor(seconds / 60)} min${rest === 0 ? '' : ` ${rest} s`}`;
}

/**
 * A moment on the axis of a run: `1:05`.
 *
 * @param {number} seconds
 */
export function onAxis(seconds) {
  const size = Math.abs(Math.round(seconds));
  const sign = seconds < 0 && size > 0 ? '-' : '';
  return `${sign}${Math.floor(size / 60)}:${String(size % 60).padStart(2, '0')}`;
}

const precise = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 });

/**
 * A figure of any size in little room: `0.00042`, `12.3`, `1.2K`.
 *
 * @param {number} value
 */
export const figure = (value) => precise.format(value);

export { blameCaller, entrance } from './blame.ts';
export { type Clock, sleep, systemClock, type Timer } from './clock.ts';
export { correction, nearest } from './nearest.ts';
export { type Random, seededRandom, systemRandom, uuid } from './random.ts';
export {
  days,
  hours,
  type Milliseconds,
  milliseconds,
  minutes,
  type Seconds,
  seconds,
  toMilliseconds,
  toSeconds,
} from './units.ts';

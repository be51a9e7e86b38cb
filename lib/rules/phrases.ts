import type { Quota } from './quotas.ts';

/** How limits and amounts read in a finding. */

export const within = (least: number, { value, unit }: Quota): string => `${least} to ${value} ${unit}`;

export const amount = (value: number, unit: string): string =>
  `${value} ${value === 1 ? unit.replace(/s\b/, '') : unit}`;

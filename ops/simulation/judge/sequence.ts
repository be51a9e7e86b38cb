import type { Case, Expected } from './expected.ts';

/** Whether one sequence comes after another: whole numbers by their value, all else as text. */
export const isAfter = (one: string, other: string): boolean => normal(one) > normal(other);

/** Whether the sequence guard had to drop an event: a later one of its source and group has been applied. */
export function isSuperseded({ evidence, events }: Case, event: Expected): boolean {
  const { sequence, source, group } = event;
  if (evidence.sequenceGuard !== true || sequence === undefined) return false;
  return events.some(
    (other) =>
      other.effects > 0 &&
      other.source === source &&
      other.group === group &&
      other.sequence !== undefined &&
      isAfter(other.sequence, sequence),
  );
}

const normal = (sequence: string): string => (/^\d+$/.test(sequence) ? sequence.padStart(38, '0') : sequence);

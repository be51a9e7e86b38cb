import { figure } from './print.ts';

/** A figure beside what it is meant to be. */
export interface Judged {
  readonly name: string;
  readonly found: number;
  /** The goal: no more than this. */
  readonly most: number;
  readonly unit: string;
  readonly met: boolean;
  /** By how much the goal is missed, as a part of it: 0.5 is half as much again. 0 when it is met. */
  readonly missedBy: number;
}

/** Judges a figure as it was measured, before it is rounded for print; what is no number has met nothing. */
export function judged(name: string, found: number, most: number, unit = ''): Judged {
  const met = found <= most;
  const missedBy = met ? 0 : Number.isFinite(found) ? found / most - 1 : Number.POSITIVE_INFINITY;
  return { name, found, most, unit, met, missedBy };
}

/** Two cells of a table: the goal, and whether it is met. Empty for a figure without a goal. */
export function goalCells(goal: Judged | undefined): [goal: string, verdict: string] {
  if (goal === undefined) return ['', ''];
  const unit = goal.unit === '' ? '' : ` ${goal.unit}`;
  return [`<= ${goal.most}${unit}`, verdictOf(goal)];
}

/** `met`, or by how much it is missed. */
export function verdictOf({ found, most, unit, met, missedBy }: Judged): string {
  if (met) return 'met';
  if (!Number.isFinite(found)) return 'missed: not measured';
  return `missed by ${figure(found - most)}${unit === '' ? '' : ` ${unit}`} (${Math.ceil(missedBy * 100)}%)`;
}

/** One line over all goals of a run, and one for each that is missed. */
export function summary(goals: readonly Judged[]): string {
  const missed = goals.filter(({ met }) => !met);
  return [
    `${goals.length - missed.length} of ${goals.length} goals met.`,
    ...missed.map((goal) => `  ${goal.name}: ${verdictOf(goal)}`),
  ].join('\n');
}

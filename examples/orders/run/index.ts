export type { CounterBook } from './counters.ts';
export type { FaultPlan } from './faults.ts';
export { type MemoryWatch, type PeakMemory, watchMemory } from './memory.ts';
export type { Monitor } from './monitor.ts';
export { findPlaces, type Outputs, output } from './places.ts';
export { type BadRow, columns, InputError, type OrderFile, readOrders } from './read.ts';
export type { RunReport } from './report.ts';
export { type FinishedRun, type RunOptions, run, Stopped } from './run.ts';
export type {
  Item,
  Place,
  QueueFigures,
  Stage,
  StageOptions,
  Theatre,
} from './stage.ts';
export { summaryOf } from './view.ts';

export { type MemoryWatch, type PeakMemory, watchMemory } from './memory.ts';
export type { Monitor } from './monitor.ts';
export { type BadRow, columns, InputError, type OrderFile, readOrders } from './read.ts';
export type { RunReport } from './report.ts';
export { type FinishedRun, type RunOptions, run, Stopped } from './run.ts';
export { summaryOf } from './view.ts';

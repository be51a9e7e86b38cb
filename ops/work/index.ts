/** One subscriber's handler of an app, run by a worker in this process against a deployed stack. */
export { WorkFault } from './errors.ts';
export { type WorkOptions, work } from './work.ts';

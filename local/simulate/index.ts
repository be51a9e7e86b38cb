export type { PlainItem, TableDeclaration } from './items.ts';
export type { Lag } from './lag.ts';
export type { ReadLetter } from './letters.ts';
export { type SimulatedHandlers, type SimulateOptions, simulate } from './simulate.ts';
export type { Simulation } from './simulation.ts';
export { HandlerStuck } from './stuck.ts';

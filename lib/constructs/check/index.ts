export { type CheckOptions, checkStack, Sluice } from './sluice.ts';

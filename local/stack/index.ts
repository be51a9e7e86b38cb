export { LocalStackError } from './errors.ts';
export type { LocalOptions, LocalResource, LocalStack } from './options.ts';
export { startLocal } from './start.ts';
export { type Synthesis, type SynthesizeOptions, synthesize } from './synthesize.ts';

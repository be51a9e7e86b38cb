export { streamOperations } from './operations.ts';
export { createStreamRegistry, readStreamSpecification, type StreamRegistry } from './registry.ts';
export type { TableStream } from './stream.ts';

import type { Breaks } from '../types.ts';

/** Broken runtimes by name. */
export const breaks: Breaks = {};

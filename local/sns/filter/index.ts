export { compileFilter, type Filter, type FilterInput, type Verdict } from './match.ts';
export type { FilterScope } from './policy.ts';

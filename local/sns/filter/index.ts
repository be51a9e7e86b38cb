export { compileFilter, type Filter, type FilterInput, filterInput, type Verdict } from './match.ts';
export type { FilterScope } from './policy.ts';

export {
  catalogue,
  findViolations,
  isRuleId,
  type RuleId,
  ruleLike,
  themes,
  type Violation,
} from './catalogue.ts';
export { bodyFilterDropped } from './filters.ts';
export { type Graph, readGraph } from './graph.ts';
export * from './quotas.ts';
export type { Rule } from './rule.ts';
export type { StackTemplate, Template, TemplateResource } from './template.ts';

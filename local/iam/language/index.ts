export { type ConditionValues, untold } from './conditions.ts';
export { isSteady } from './keys.ts';
export {
  evaluatePolicy,
  judgePolicy,
  judgeStatements,
  type Policy,
  type PolicyJudgement,
  type PolicyRequest,
  type PolicyVerdict,
  parsePolicy,
  principalValues,
  type StatementsJudgement,
  statementsOn,
} from './policy.ts';
export { sessionArn } from './principal.ts';
export { PolicyError } from './read.ts';
export { type PolicyKind, readStatements, type Statement } from './statement.ts';
export { unsupportedIn } from './unsupported.ts';

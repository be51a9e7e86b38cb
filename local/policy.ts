export {
  evaluatePolicy,
  judgePolicy,
  type Policy,
  PolicyError,
  type PolicyJudgement,
  type PolicyRequest,
  type PolicyVerdict,
  parsePolicy,
} from './iam/language/index.ts';

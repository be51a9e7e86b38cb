import { RemovalPolicy } from 'aws-cdk-lib';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';

/**
 * How careful a stack is with what it holds. `prod`: what cannot be made again outlives the stack. `dev`: nothing does,
 * so that a stack comes and goes.
 *
 * @example
 * ```ts
 * const stage: Stage = 'dev';
 * ```
 */
export type Stage = 'dev' | 'prod';

/** What a stage decides, each of which a prop of the stack may say by itself. */
export interface StageSettings {
  /** Of the table of records: without it, a replay repeats effects. */
  readonly recordsRemovalPolicy: RemovalPolicy;
  /** Of the dead-letter queues: what is in them is nowhere else. */
  readonly deadLetterRemovalPolicy: RemovalPolicy;
  /** Of the keys that the stack makes: what they encrypted, and outlives the stack, is unreadable without them. */
  readonly keyRemovalPolicy: RemovalPolicy;
  /** Of the functions' logs. */
  readonly logRemovalPolicy: RemovalPolicy;
  readonly logRetention: RetentionDays;
  readonly pointInTimeRecovery: boolean;
  readonly deletionProtection: boolean;
  readonly terminationProtection: boolean;
}

/**
 * Kept, but for what a deployment made that failed and is taken back: it holds nothing yet (CloudFormation user guide,
 * "DeletionPolicy", RetainExceptOnCreate). The table is kept even then: DynamoDB protects it, so that taking it back
 * would fail too.
 */
const kept = RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE;

/** What each stage means. */
export const stages: Readonly<Record<Stage, StageSettings>> = {
  dev: {
    recordsRemovalPolicy: RemovalPolicy.DESTROY,
    deadLetterRemovalPolicy: RemovalPolicy.DESTROY,
    keyRemovalPolicy: RemovalPolicy.DESTROY,
    logRemovalPolicy: RemovalPolicy.DESTROY,
    logRetention: RetentionDays.ONE_WEEK,
    pointInTimeRecovery: false,
    deletionProtection: false,
    terminationProtection: false,
  },
  prod: {
    recordsRemovalPolicy: RemovalPolicy.RETAIN,
    deadLetterRemovalPolicy: kept,
    keyRemovalPolicy: kept,
    logRemovalPolicy: kept,
    logRetention: RetentionDays.THREE_MONTHS,
    pointInTimeRecovery: true,
    deletionProtection: true,
    terminationProtection: true,
  },
};

/**
 * The settings of a stage, with what is said by itself in their place. A table that is to be destroyed is not protected
 * from it unless that is asked for: the removal of the stack would stop half-way.
 */
export function settingsOf(
  stage: Stage,
  said: { readonly [Setting in keyof StageSettings]?: StageSettings[Setting] | undefined },
): StageSettings {
  const usual = stages[stage];
  const recordsRemovalPolicy = said.recordsRemovalPolicy ?? usual.recordsRemovalPolicy;
  return {
    recordsRemovalPolicy,
    deadLetterRemovalPolicy: said.deadLetterRemovalPolicy ?? usual.deadLetterRemovalPolicy,
    keyRemovalPolicy: said.keyRemovalPolicy ?? usual.keyRemovalPolicy,
    logRemovalPolicy: said.logRemovalPolicy ?? usual.logRemovalPolicy,
    logRetention: said.logRetention ?? usual.logRetention,
    pointInTimeRecovery: said.pointInTimeRecovery ?? usual.pointInTimeRecovery,
    deletionProtection:
      said.deletionProtection ?? (usual.deletionProtection && recordsRemovalPolicy !== RemovalPolicy.DESTROY),
    terminationProtection: said.terminationProtection ?? usual.terminationProtection,
  };
}

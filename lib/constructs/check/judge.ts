import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Annotations, Stack, Stage } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import { findViolations } from '../../rules/index.ts';
import { noticeFilters } from './notice.ts';
import { readStage } from './read.ts';
import { type Fault, gather, lineOf } from './report.ts';
import { acknowledgedId, isSilenced, silencesAt, wrongSilence } from './silence.ts';

/** What is checked of a stage, and what was found in its last synthesis. */
interface Watch {
  readonly scopes: Set<IConstruct>;
  /** Scopes in which warnings are errors. */
  readonly strict: Set<IConstruct>;
  errors: ReadonlyMap<IConstruct, readonly string[]>;
  /** Whether the app tells its errors, together with those of other stages. */
  toldByApp: boolean;
}

const watches = new WeakMap<Stage, Watch>();
const validated = new WeakSet<IConstruct>();

/** Checks a construct, and all in it, whenever its stage is synthesized; to ask twice is to ask once. */
export function watch(scope: IConstruct, strict: boolean): void {
  const stage = Stage.isStage(scope) ? scope : Stage.of(scope);
  if (stage === undefined)
    throw new Error(
      `The construct "${scope.node.path}" is in no App or Stage, so it is never synthesized; check it where it is in one.`,
    );
  const known = watchOf(stage);
  known.scopes.add(scope);
  noticeFilters(scope);
  if (strict) known.strict.add(scope);
  const { root } = stage.node;
  if (Stage.isStage(root)) watchOf(root);
  // A stage in it is synthesized before it, by itself.
  for (const inner of stagesIn(scope)) watch(inner, strict);
}

function watchOf(stage: Stage): Watch {
  const found = watches.get(stage);
  if (found !== undefined) return found;
  const known: Watch = { scopes: new Set(), strict: new Set(), errors: new Map(), toldByApp: false };
  watches.set(stage, known);
  stage.node.addValidation({ validate: () => judge(stage, known) });
  return known;
}

const stagesIn = (scope: IConstruct): Stage[] =>
  scope.node.children.flatMap((child) => (Stage.isStage(child) ? [child] : stagesIn(child)));

const allStagesIn = (scope: IConstruct): Stage[] =>
  stagesIn(scope).flatMap((stage) => [stage, ...allStagesIn(stage)]);

/**
 * Judges a stage. What is an error is told by the construct that it is at, which the CDK asks next: so all of them
 * stand in its one error, with those of other libraries. What is said of the stage itself, or of stages in an app, is
 * returned.
 */
function judge(stage: Stage, known: Watch): string[] {
  find(stage, known);
  known.toldByApp = isPartOfSynthesis(stage);
  for (const at of known.errors.keys())
    if (at !== stage && !validated.has(at)) {
      validated.add(at);
      at.node.addValidation({ validate: () => (known.toldByApp ? [] : [...(known.errors.get(at) ?? [])]) });
    }
  if (known.toldByApp) return [];
  const own = known.errors.get(stage) ?? [];
  return stage === stage.node.root
    ? [...own, ...allStagesIn(stage).flatMap((inner) => told(inner, known))]
    : [...own];
}

/** What a stage in an app left to it to tell. One that was added after the check was asked for is judged only now. */
function told(stage: Stage, { scopes, strict }: Watch): string[] {
  const late = isWithin(stage, scopes) && !watches.has(stage);
  if (late) {
    watch(stage, isWithin(stage, strict));
    find(stage, watchOf(stage));
  }
  const { errors, toldByApp } = watchOf(stage);
  if (!late && !toldByApp) return [];
  if (errors.size > 0) withdraw(stage);
  return [...errors].flatMap(([at, lines]) => lines.map((line) => `[${at.node.path}] ${line}`));
}

/**
 * The stage's templates are written by now, since it did not tell its errors itself: without the manifest nobody deploys
 * them, not even by way of an app's manifest that an earlier synthesis left.
 */
const withdraw = ({ outdir }: Stage): void => rmSync(join(outdir, 'manifest.json'), { force: true });

/**
 * Whether a stage is synthesized as a part of its app, which then goes on to tell all errors at once: the app makes its
 * tree's metadata first of all. By itself, or without them, a stage tells its own.
 */
const isPartOfSynthesis = (stage: Stage): boolean =>
  stage !== stage.node.root && stage.node.root.node.tryFindChild('Tree') !== undefined;

/** Finds the faults of a stage as it is now, and says its warnings. */
function find(stage: Stage, known: Watch): void {
  const faults = known.scopes.size === 0 ? [] : faultsOf(stage, known);
  for (const fault of faults)
    if (fault.severity === 'warning')
      Annotations.of(fault.at).addWarningV2(acknowledgedId(fault.rule), lineOf(fault));
  known.errors = byConstruct(faults.filter(({ severity }) => severity === 'error'));
}

function byConstruct(faults: readonly Fault[]): Map<IConstruct, string[]> {
  const found = new Map<IConstruct, string[]>();
  for (const fault of faults) found.set(fault.at, [...(found.get(fault.at) ?? []), lineOf(fault)]);
  return found;
}

function faultsOf(stage: Stage, { scopes, strict }: Watch): readonly Fault[] {
  const reading = readStage(stage);
  const found = findViolations(reading.stacks).flatMap((violation): (Fault & { strict: boolean })[] => {
    const at = reading.construct(violation.stack, violation.logicalId);
    if (!isWithin(at, scopes) || isSilenced(at, violation.rule)) return [];
    return [{ ...violation, at, strict: isWithin(at, strict) }];
  });
  const gathered = gather(found, (construct) => Stack.of(construct));
  return [
    ...silenceFaults(stage, scopes),
    ...gathered.map((fault): Fault => ({ ...fault, severity: fault.strict ? 'error' : fault.severity })),
  ];
}

/** Silences without a reason, or of a rule that does not exist, which the CDK's own door lets through. */
const silenceFaults = (stage: Stage, scopes: ReadonlySet<IConstruct>): Fault[] =>
  insideOf(stage)
    .filter((construct) => isWithin(construct, scopes))
    .flatMap((at) =>
      silencesAt(at).flatMap((silence) => wrongSilence(silence).map((fault) => ({ at, ...fault }))),
    );

const insideOf = (scope: IConstruct): IConstruct[] => [
  scope,
  ...scope.node.children.filter((child) => !Stage.isStage(child)).flatMap(insideOf),
];

const isWithin = (construct: IConstruct, scopes: Iterable<IConstruct>): boolean => {
  const around = new Set<IConstruct>(construct.node.scopes);
  return [...scopes].some((scope) => around.has(scope));
};

import { Stage } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import type { Messaging } from '../topology/index.ts';
import type { AnyProps, Report } from './check-props.ts';
import { heldBy } from './held.ts';

/** A stack that holds only some subscribers of a declaration, and the topics that it makes. */
interface ShareMade {
  readonly stack: string;
  readonly place: string;
  readonly only: readonly string[];
  readonly topics: readonly string[];
}

/** By the stage they are in: another stage deploys the whole again. */
const shares = new WeakMap<IConstruct, Map<Messaging, ShareMade[]>>();

const placeOf = ({ env }: AnyProps): string => JSON.stringify([env?.account, env?.region]);

function sharesOf(scope: IConstruct, messaging: Messaging): ShareMade[] {
  const stage = Stage.of(scope) ?? scope.node.root;
  const byDeclaration = shares.get(stage) ?? new Map<Messaging, ShareMade[]>();
  shares.set(stage, byDeclaration);
  const found = byDeclaration.get(messaging) ?? [];
  byDeclaration.set(messaging, found);
  return found;
}

/** Remembers what a stack makes of its share. */
export function rememberShare(stack: IConstruct, props: AnyProps): void {
  const { messaging, only } = props;
  if (only === undefined) return;
  const topics = heldBy(messaging, props).made.map(({ name }) => name);
  sharesOf(stack, messaging).push({ stack: stack.node.path, place: placeOf(props), only, topics });
}

/**
 * Reports a topic that two stacks would make, each for other subscribers: what is published on one of the two, the
 * subscribers of the other never hear.
 */
export function checkShare(scope: IConstruct | undefined, props: AnyProps, report: Report): void {
  const { messaging, only } = props;
  if (scope === undefined || only === undefined) return;
  const others = sharesOf(scope, messaging).filter(
    (other) => other.place === placeOf(props) && !other.only.some((name) => only.includes(name)),
  );
  for (const { name, subscribers } of heldBy(messaging, props).made) {
    const other = others.find(({ topics }) => topics.includes(name));
    const hears = (subscriber: string) => subscribers.includes(subscriber);
    if (other === undefined || !only.some(hears) || !other.only.some(hears)) continue;
    report(
      `topics.${name}`,
      `nothing, so that the topic would be made a second time, and ${listOf(other.only.filter(hears))} would not hear what is published here`,
      `the topic of the stack "${other.stack}"`,
      `Hand it in: topics: { ${/^[A-Za-z]\w*$/.test(name) ? name : `'${name}'`}: <that stack>.topic('${name}') }.`,
    );
  }
}

const listOf = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ');

import { isDeepStrictEqual } from 'node:util';
import type { Random } from '../../../lib/base/index.ts';
import { ServiceError } from '../../service.ts';
import { asText, type Properties, type ProviderContext, tagsOf } from '../provider.ts';

/** Whether any of these properties differs. */
export const differs = (before: Properties, after: Properties, ...names: readonly string[]): boolean =>
  names.some((name) => !isDeepStrictEqual(before[name], after[name]));

/** The tags that an update sets, and the keys of those that it takes away; of either form of `Tags`. */
export function tagChanges(before: unknown, after: unknown) {
  const old = tagsOf(before);
  const next = tagsOf(after);
  const put = Object.fromEntries(Object.entries(next).filter(([key, value]) => old[key] !== value));
  return { put, list: tagList(put), drop: Object.keys(old).filter((key) => !Object.hasOwn(next, key)) };
}

/** Tags as most services take them. */
export const tagList = (tags: Readonly<Record<string, string>>) =>
  Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));

/** The entries of a list property that are not in it any more. */
export function droppedFrom(name: string, before: Properties, after: Properties): readonly string[] {
  const kept = new Set(listOf(after[name]));
  return listOf(before[name]).filter((entry) => !kept.has(entry));
}

/**
 * The policy that a queue or topic has when a resource of this type lets go of it: none, or that of another one that
 * names it as well. A policy under a new logical id is made before the old one goes, and must outlive it.
 *
 * @param list - the property that names the queues or topics
 */
export function policyWithout(list: string, target: string, { others, warn }: ProviderContext): string {
  const other = others().find(({ properties }) => listOf(properties[list]).includes(target));
  if (other === undefined) return '';
  warn(
    `${target} keeps the policy of ${other.logicalId}. On AWS it may be left without one: rather change a policy under its logical id`,
  );
  return asText(other.properties.PolicyDocument);
}

/** A list of texts that a template may leave out. */
export const listOf = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);

/**
 * Deletes what may be gone already, because somebody deleted it by hand or an earlier try got so far: then there is
 * nothing to do.
 *
 * @param gone - names of the errors that say so
 */
export async function unlessGone(gone: readonly string[], remove: () => Promise<unknown>): Promise<void> {
  try {
    await remove();
  } catch (error) {
    if (!(error instanceof ServiceError) || !gone.includes(error.name)) throw error;
  }
}

/**
 * Refuses a name that is taken. Services give back what exists, or overwrite it, where CloudFormation adopts nothing
 * that it has not made: the stack that made it would lose it with this one.
 *
 * @param find - asks for it; what is not there is `undefined` or one of the errors in `absent`
 */
export async function refuseTaken(
  type: string,
  name: string,
  absent: readonly string[],
  find: () => Promise<unknown>,
): Promise<void> {
  let found: unknown;
  await unlessGone(absent, async () => {
    found = await find();
  });
  if (found !== undefined) {
    throw new ServiceError(
      'AlreadyExists',
      `Resource of type '${type}' with identifier '${name}' already exists.`,
    );
  }
}

/**
 * Does what is left to do for a resource that has just been made. When that fails the resource is removed again: a
 * stack does not know what was not finished, so nobody else would.
 */
export async function orRemoved<Result>(
  finish: () => Promise<Result>,
  remove: () => Promise<unknown>,
): Promise<Result> {
  try {
    return await finish();
  } catch (error) {
    try {
      await remove();
    } catch (second) {
      throw new AggregateError([error, second], `${textOf(error)}; and removing it again: ${textOf(second)}`);
    }
    throw error;
  }
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

const identifierAlphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** An identifier as IAM gives them: what it is for, then 17 characters (IAM user guide, "Unique identifiers"). */
export function uniqueId(prefix: 'AROA' | 'ANPA', random: Random): string {
  let id: string = prefix;
  for (let count = 0; count < 17; count++) {
    id += identifierAlphabet[Math.floor(random.next() * identifierAlphabet.length)];
  }
  return id;
}

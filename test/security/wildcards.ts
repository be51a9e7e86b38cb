import type { Right } from './rights.ts';

/** A wildcard that a policy of the stack may hold, and why. Whatever is not here is refused by the tests. */
export interface ExplainedWildcard {
  /** What it is for, as the page says it. */
  readonly title: string;
  readonly why: string;
  readonly matches: (right: Right) => boolean;
}

const only = (right: Right, ...actions: string[]) =>
  right.actions.every((action) => actions.includes(action));

/** The wildcards, each with its reason. */
export const explained: readonly ExplainedWildcard[] = [
  {
    title: 'Deny to anybody who comes without TLS',
    why: 'A refusal is the stronger, the wider it is: it names every action and every caller, and holds on its own queue or topic only.',
    matches: (right) =>
      right.effect === 'Deny' &&
      right.when.length === 1 &&
      right.when[0] === 'aws:SecureTransport Bool false',
  },
  {
    title: '`kms:*` of the account in the policy of a key',
    why: 'AWS’s own advice for key policies ("Default key policy" in the KMS developer guide): without it nobody could mend a key whose policy is wrong. It lets no role do anything by itself; a role still needs a policy of its own.',
    matches: (right) => right.kind === 'key' && right.who.startsWith('account') && only(right, 'kms:*'),
  },
  {
    title: '`*` as the resource in the policy of a key',
    why: 'In the policy of a key it means that key ("Key policies" in the KMS developer guide).',
    matches: (right) =>
      right.kind === 'key' &&
      right.on.every((resource) => resource === '*') &&
      !right.actions.includes('kms:*'),
  },
  {
    title: '`kms:GenerateDataKey*`, `kms:ReEncrypt*`',
    why: 'The documented names of two spellings of one right: with and without the plain text ("AWS KMS permissions" in the KMS developer guide).',
    matches: (right) =>
      right.on.every((resource) => !resource.includes('*')) &&
      right.actions.every(
        (action) => !action.includes('*') || /^kms:(GenerateDataKey|ReEncrypt)\*$/.test(action),
      ),
  },
];

/** Whether a statement has a wildcard: in its actions, its resources or its principals. */
export const hasWildcard = ({ actions, on, who }: Right): boolean =>
  actions.some((action) => action.includes('*')) ||
  on.some((resource) => resource.includes('*')) ||
  who === 'anybody';

import type { DeclarationFault } from './errors.ts';

/** All faults in words: where, by which rule, what was found, what is allowed and what to do. */
export function tell(messagingName: string, faults: readonly DeclarationFault[]): string {
  const lines = faults.map(
    ({ property, rule, found, allowed, remedy }) =>
      `  - [${property}] ${rule}: found ${found}; allowed: ${allowed}. ${remedy}`,
  );
  const count = faults.length === 1 ? '1 fault' : `${faults.length} faults`;
  return `The declaration "${messagingName}" has ${count}:\n${lines.join('\n')}\nThe rules are explained in docs/rules.md.`;
}

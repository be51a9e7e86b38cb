/**
 * What keeps a subscriber from being worked for, in one line: what was found, what is allowed, what to do.
 *
 * @example
 * ```ts
 * throw new WorkFault('usage', 'there is no subscriber "mail"; there are email, payments.');
 * ```
 */
export class WorkFault extends Error {
  override readonly name = 'WorkFault';
  /** `usage` when the command was called wrongly, `failure` when something outside stands in the way. */
  readonly kind: 'usage' | 'failure';

  constructor(kind: 'usage' | 'failure', message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

/** What a service or the network said, in one line. */
export function said(error: unknown): string {
  const { name, message, code } = error as Error & { readonly code?: string };
  return [name, code, message?.split('\n')[0]].filter((part) => part !== undefined && part !== '').join(' ');
}

import { asError, describeError } from './errors.ts';
import type { Logger } from './logger.ts';

/**
 * Names and codes of errors by which services say that the caller may not do what it asks for, or that they do not know
 * it (common errors of each API reference; BatchStatementError; "AWS KMS errors" of SQS and SNS).
 */
const refusals =
  /AccessDenied|AuthorizationError|NotAuthorized|UnrecognizedClient|InvalidClientTokenId|ExpiredToken/;

/** Whether a name or code of an error says that the caller may not do it. */
export const isRefusal = (name: string | undefined): boolean => refusals.test(name ?? '');

/** UTF-16 units of AWS's sentence: two ARNs, an action twice, and the reason. No payload is in it. */
const mostLength = 1_024;

/** What a call that was sent says of missing rights. */
export type WatchRights = (sent: Promise<object>) => void;

/**
 * Says which right is missing: AWS's sentence, whole, once for each action on each resource. What becomes of the messages
 * is for others to decide; without this an operator hears that a table did not answer, and not that a policy lacks a
 * line.
 *
 * @param isOver - nothing is said any more of what was broken off
 */
export function createWatchRights(logger: Logger, isOver: () => boolean): WatchRights {
  const told = new Set<string>();
  const tell = (error: Error) => {
    if (isOver()) return;
    const text = describeError(error, mostLength);
    // A request's own id may be in it.
    const [what = text] = /perform: \S+ (?:on resource: \S+)?/.exec(text) ?? [];
    if (told.has(what)) return;
    told.add(what);
    logger.error('A right is missing: let the function’s role do this', { error: text });
  };
  return (sent) => {
    sent.then(
      (output) => {
        const { Responses } = output as { readonly Responses?: unknown };
        // Statements of a batch fail one by one.
        if (!Array.isArray(Responses)) return;
        for (const { Error: failed } of Responses as readonly StatementResponse[])
          if (isRefusal(failed?.Code))
            tell(Object.assign(new Error(failed?.Message), { name: failed?.Code ?? '' }));
      },
      (thrown: unknown) => {
        const error = asError(thrown);
        if (isRefusal(error.name)) tell(error);
      },
    );
  };
}

interface StatementResponse {
  readonly Error?: { readonly Code?: string; readonly Message?: string };
}

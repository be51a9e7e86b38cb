import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';

/** Counts the requests that reach HTTP servers of this thread: those of the model, by action. */
export interface RequestCount {
  /** Requests so far, by action. */
  counts(): Map<string, number>;
}

/**
 * The action that a request asks for: AWS JSON names it in a header; the query protocol, which only SNS has here,
 * in its body, so it goes by the protocol.
 */
export function actionOf(headers: IncomingMessage['headers']): string {
  const target = headers['x-amz-target'];
  if (typeof target === 'string') return target.slice(target.lastIndexOf('.') + 1);
  if (headers['content-type']?.startsWith('application/x-www-form-urlencoded'))
    return 'Publish (query protocol)';
  return 'other';
}

/** Begins to count. Node tells of each request on a channel of its own, so nothing is wrapped. */
export function countRequests(): RequestCount {
  const counts = new Map<string, number>();
  subscribe('http.server.request.start', (message) => {
    const action = actionOf((message as { request: IncomingMessage }).request.headers);
    counts.set(action, (counts.get(action) ?? 0) + 1);
  });
  return { counts: () => new Map(counts) };
}

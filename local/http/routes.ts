import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { Dispatcher } from '../dispatch.ts';

/** Answers one GET request; it may keep the response open, for server-sent events. */
export type Route = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

/**
 * Handlers by path. A path that ends with a slash takes everything below it; the longest path that fits wins.
 *
 * @example
 * ```ts
 * const routes: Routes = { '/_sluice/': page, '/_sluice/events': events };
 * ```
 */
export type Routes = Readonly<Record<`/_sluice/${string}`, Route>>;

/** `GET /_sluice/health`: what runs here. */
export function healthRoute(aws: Dispatcher): Route {
  const { version } = createRequire(import.meta.url)('sluice/package.json') as { version: string };
  return (_request, response) =>
    sendJson(response, 200, { status: 'running', services: Object.keys(aws.services), version });
}

/** Finds the handler of a request under `/_sluice` and lets it answer. */
export function serveRoute(routes: Routes, request: IncomingMessage, response: ServerResponse): void {
  const path = (request.url ?? '').split('?', 1)[0]!;
  if (request.method !== 'GET' && request.method !== 'HEAD')
    return void sendJson(response, 405, { message: `${request.method} is not allowed here; GET is.` });
  const route = find(routes, path);
  if (route === undefined) {
    // The page's own address, without its slash.
    if (find(routes, `${path}/`) !== undefined && `${path}/` in routes) {
      response.writeHead(308, { Location: `${path}/` });
      response.end();
      return;
    }
    return void sendJson(response, 404, {
      message: `Nothing is at ${path}. Try ${Object.keys(routes).join(', ')}.`,
    });
  }
  const fail = (error: unknown) => {
    if (response.headersSent) response.destroy();
    else sendJson(response, 500, { message: String(error) });
  };
  try {
    route(request, response)?.catch(fail);
  } catch (error) {
    fail(error);
  }
}

function find(routes: Routes, path: string): Route | undefined {
  const paths = Object.keys(routes) as (keyof Routes)[];
  const fitting = paths
    .filter((known) => known === path || (known.endsWith('/') && path.startsWith(known)))
    .sort((a, b) => b.length - a.length);
  return fitting[0] === undefined ? undefined : routes[fitting[0]];
}

function sendJson(response: ServerResponse, status: number, value: object) {
  response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
  response.end(JSON.stringify(value));
}

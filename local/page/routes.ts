import type { IncomingMessage, ServerResponse } from 'node:http';
import { assetRoutes } from './assets.ts';
import type { RunFeed, RunUpdate } from './state.ts';

/** Answers one path of the page. */
export type PageHandler = (request: IncomingMessage, response: ServerResponse) => void;

const own = [
  'index.html',
  'page.css',
  'page.js',
  'charts.js',
  'dom.js',
  'format.js',
  'topology.js',
  'icon.svg',
];
/**
 * The live page of a run, by path: the page's files, `events` (one stream of server-sent events, which starts
 * with a snapshot of all so far) and `report.json`.
 *
 * @param feed - what the page shows
 * @param prefix - the folder of the page; default `/_sluice/`
 * @example
 * ```ts
 * await startLocal({ routes: () => pageRoutes(feed) });
 * ```
 */
export function pageRoutes(feed: RunFeed, prefix = '/_sluice/'): Readonly<Record<string, PageHandler>> {
  const routes: Record<string, PageHandler> = assetRoutes(own, prefix);
  routes[prefix] = routes[`${prefix}index.html`] as PageHandler;
  routes[`${prefix}events`] = (request, response) => streamEvents(feed, request, response);
  routes[`${prefix}report.json`] = (_request, response) => {
    const { report } = feed.state();
    response.writeHead(report ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(report ? report.document : { message: 'The run is not over yet.' }, null, 2));
  };
  return routes;
}

function streamEvents(feed: RunFeed, request: IncomingMessage, response: ServerResponse) {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  const send = (event: string, data: unknown) =>
    response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  send('snapshot', { state: feed.state(), samples: feed.samples() });
  // A page that does not read is cut off instead of filling the memory; it comes back by itself and gets a snapshot.
  const unsubscribe = feed.subscribe((update: RunUpdate) => {
    if (response.writableLength > 4_000_000) response.destroy();
    else send('update', update);
  });
  request.once('close', unsubscribe);
  response.once('close', unsubscribe);
}

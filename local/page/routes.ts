import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { RunFeed, RunUpdate } from './state.ts';

/** Answers one path of the page. */
export type PageHandler = (request: IncomingMessage, response: ServerResponse) => void;

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

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
const library = ['uPlot.esm.js', 'uPlot.min.css'];

/** Nothing but the page's own files runs or is asked for: the texts of messages can never become script. */
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'";

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
  const routes: Record<string, PageHandler> = {};
  const uplot = createRequire(import.meta.url)
    .resolve('uplot/dist/uPlot.esm.js')
    .slice(0, -'uPlot.esm.js'.length);
  const files = [
    ...own.map((name) => ({ name, path: new URL(`./assets/${name}`, import.meta.url) })),
    ...library.map((name) => ({ name, path: `${uplot}${name}` })),
  ];
  for (const { name, path } of files) {
    const body = readFileSync(path);
    const type = types[name.slice(name.lastIndexOf('.') + 1)] as string;
    routes[prefix + name] = (_request, response) => {
      response.writeHead(200, {
        'content-type': type,
        'content-length': body.length,
        'content-security-policy': policy,
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-cache',
      });
      response.end(body);
    };
  }
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

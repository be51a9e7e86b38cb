import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';

const types: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};

/** The chart library's own files. */
const library = ['uPlot.esm.js', 'uPlot.min.css'];

/** Nothing but the page's own files runs or is asked for: the texts of messages can never become script. */
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self'";

/** The files of a page, the chart library's with them, each by its path. */
export function assetRoutes(
  names: readonly string[],
  prefix: string,
): Record<string, (request: IncomingMessage, response: ServerResponse) => void> {
  const uplot = createRequire(import.meta.url)
    .resolve('uplot/dist/uPlot.esm.js')
    .slice(0, -'uPlot.esm.js'.length);
  const files = [
    ...names.map((name) => ({ name, path: new URL(`./assets/${name}`, import.meta.url) })),
    ...library.map((name) => ({ name, path: `${uplot}${name}` })),
  ];
  return Object.fromEntries(
    files.map(({ name, path }) => {
      const body = readFileSync(path);
      const type = types[name.slice(name.lastIndexOf('.') + 1)] as string;
      return [
        prefix + name,
        (_request: IncomingMessage, response: ServerResponse) => {
          response.writeHead(200, {
            'content-type': type,
            'content-length': body.length,
            'content-security-policy': policy,
            'x-content-type-options': 'nosniff',
            'cache-control': 'no-cache',
          });
          response.end(body);
        },
      ];
    }),
  );
}

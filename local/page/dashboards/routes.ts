import type { IncomingMessage, ServerResponse } from 'node:http';
import { ServiceError } from '../../service.ts';
import { assetRoutes } from '../assets.ts';
import { dashboardView } from './dashboard.ts';
import { dashboardNames, type Source } from './read.ts';

/** Answers one path of the page. */
type Handler = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

const assets = [
  'dashboard.html',
  'dashboard.js',
  'dashboard.css',
  'dashboard-charts.js',
  'dashboard-choices.js',
  'dashboard-widgets.js',
  'dom.js',
  'format.js',
  'markdown.js',
  'page.css',
  'icon.svg',
];

/**
 * The dashboards that are deployed in a model, drawn as CloudWatch lays them out: a list at `/_sluice/dashboards/`, each
 * at `/_sluice/dashboards/NAME`, what is drawn as JSON at `/_sluice/dashboards/NAME/view`.
 *
 * @param source - gives the model whose dashboards they are, with its data
 * @param prefix - the folder of the dashboards
 * @example
 * ```ts
 * const endpoint = await createEndpoint(aws, { routes: dashboardRoutes(() => aws) });
 * ```
 */
export function dashboardRoutes(
  source: () => Source,
  prefix: `/_sluice/${string}/` = '/_sluice/dashboards/',
): Readonly<Record<`/_sluice/${string}`, Handler>> {
  // A dashboard's name has no dot: the files are told from it.
  const files = assetRoutes(assets, prefix);
  const page = files[`${prefix}dashboard.html`]!;
  const json = (response: ServerResponse, status: number, value: object) => {
    response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
    response.end(JSON.stringify(value));
  };
  const below: Handler = async (request, response) => {
    const url = new URL(request.url ?? '', 'http://127.0.0.1');
    const [name = '', what, ...more] = url.pathname.slice(prefix.length).split('/');
    if (name === '' && what === undefined) return page(request, response);
    if (name === 'list.json') return json(response, 200, { names: await dashboardNames(source()) });
    if (what === undefined) {
      if (/^[\w-]+$/.test(name)) return page(request, response);
    } else if (what === 'view' && more.length === 0)
      try {
        return json(response, 200, await dashboardView(source(), name, choicesOf(url.searchParams)));
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        return json(response, error.statusCode, { message: error.message });
      }
    json(response, 404, {
      message: `Nothing is at ${url.pathname}. The dashboards are listed at ${prefix}.`,
    });
  };
  return { ...files, [prefix]: below };
}

function choicesOf(query: URLSearchParams) {
  const period = Number(query.get('period') ?? Number.NaN);
  return {
    range: query.get('range') ?? undefined,
    period: Number.isInteger(period) && period >= 60 && period % 60 === 0 ? period : undefined,
    variables: Object.fromEntries(
      [...query].flatMap(([name, value]) => (name.startsWith('var.') ? [[name.slice(4), value]] : [])),
    ),
  };
}

import type {
  DashboardValidationMessage,
  DeleteDashboardsCommandInput,
  GetDashboardCommandInput,
  ListDashboardsCommandInput,
  PutDashboardCommandInput,
} from '@aws-sdk/client-cloudwatch';
import type { Clock } from '../../lib/base/index.ts';
import { ServiceError } from '../service.ts';
import { missing } from './errors.ts';
import { page } from './page.ts';

// CloudWatch API reference, "Dashboard body structure and syntax": a grid of 24 columns, up to 500 widgets.
const COLUMNS = 24;
const MOST_WIDGETS = 500;
const WIDGET_TYPES: readonly string[] = ['metric', 'text', 'log', 'alarm', 'explorer', 'custom'];

/** The actions on dashboards: bodies are checked and kept, and drawn elsewhere. */
export function dashboardOperations(clock: Clock, account: string) {
  const dashboards = new Map<string, { readonly body: string; readonly modified: Date }>();
  const arnOf = (name: string) => `arn:aws:cloudwatch::${account}:dashboard/${name}`;
  const absent = (name: string | undefined) =>
    new ServiceError('DashboardNotFoundError', `Dashboard ${name} does not exist`, {
      statusCode: 404,
      queryCode: 'ResourceNotFound',
    });

  return {
    PutDashboard({ DashboardName: name, DashboardBody: body }: PutDashboardCommandInput) {
      if (name === undefined) throw missing('DashboardName');
      if (body === undefined) throw missing('DashboardBody');
      const faults = bodyFaults(body);
      if (!/^[\w-]{1,255}$/.test(name))
        faults.push({
          DataPath: '/',
          Message: `A dashboard's name has 1 to 255 of A-Z, a-z, 0-9, '-', '_'; found '${name}'`,
        });
      if (faults.length > 0)
        throw new ServiceError(
          'DashboardInvalidInputError',
          `The dashboard is invalid: ${faults.map(({ DataPath, Message }) => `${DataPath}: ${Message}`).join('; ')}`,
          { queryCode: 'InvalidParameterInput', members: { dashboardValidationMessages: faults } },
        );
      dashboards.set(name, { body, modified: new Date(clock.now()) });
      return { DashboardValidationMessages: [] };
    },

    GetDashboard({ DashboardName: name }: GetDashboardCommandInput) {
      const dashboard = name === undefined ? undefined : dashboards.get(name);
      if (name === undefined || dashboard === undefined) throw absent(name);
      return { DashboardArn: arnOf(name), DashboardBody: dashboard.body, DashboardName: name };
    },

    ListDashboards({ DashboardNamePrefix: prefix = '', NextToken: token }: ListDashboardsCommandInput) {
      const found = [...dashboards].filter(([name]) => name.startsWith(prefix));
      const { items, next } = page(found, token, 100);
      return {
        DashboardEntries: items.map(([name, { body, modified }]) => ({
          DashboardName: name,
          DashboardArn: arnOf(name),
          LastModified: modified,
          Size: Buffer.byteLength(body),
        })),
        ...next,
      };
    },

    DeleteDashboards({ DashboardNames: names = [] }: DeleteDashboardsCommandInput) {
      const unknown = names.find((name) => !dashboards.has(name));
      if (unknown !== undefined) throw absent(unknown);
      for (const name of names) dashboards.delete(name);
      return {};
    },
  };
}

function bodyFaults(text: string): DashboardValidationMessage[] {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (error) {
    return [{ DataPath: '/', Message: `The body is not valid JSON: ${(error as Error).message}` }];
  }
  const widgets = (body as { widgets?: unknown } | null)?.widgets;
  if (!Array.isArray(widgets)) return [{ DataPath: '/widgets', Message: 'The body needs a list of widgets' }];
  const faults: DashboardValidationMessage[] = [];
  if (widgets.length > MOST_WIDGETS)
    faults.push({
      DataPath: '/widgets',
      Message: `${MOST_WIDGETS} widgets are allowed; found ${widgets.length}`,
    });
  for (const [index, widget] of widgets.entries()) {
    const path = `/widgets/${index}`;
    const { type, x, y, width, height, properties } = (widget ?? {}) as Record<string, unknown>;
    if (typeof type !== 'string' || !WIDGET_TYPES.includes(type))
      faults.push({
        DataPath: `${path}/type`,
        Message: `One of ${WIDGET_TYPES.join(', ')} is allowed; found ${JSON.stringify(type)}`,
      });
    if (typeof properties !== 'object' || properties === null)
      faults.push({ DataPath: `${path}/properties`, Message: 'An object is required' });
    for (const [name, value] of Object.entries({ x, y, width, height }))
      if (value !== undefined && !(Number.isInteger(value) && (value as number) >= 0))
        faults.push({
          DataPath: `${path}/${name}`,
          Message: `A whole number from 0 on is allowed; found ${JSON.stringify(value)}`,
        });
    if (typeof width === 'number' && (typeof x === 'number' ? x : 0) + width > COLUMNS)
      faults.push({
        DataPath: `${path}/width`,
        Message: `The grid has ${COLUMNS} columns; the widget ends at ${(typeof x === 'number' ? x : 0) + width}`,
      });
  }
  return faults;
}

import type {
  DeleteDashboardsCommandInput,
  GetDashboardCommandInput,
  ListDashboardsCommandInput,
  PutDashboardCommandInput,
} from '@aws-sdk/client-cloudwatch';
import type { Clock } from '../../lib/base/index.ts';
import { ServiceError } from '../service.ts';
import { bodyFaults } from './dashboard-body.ts';
import { missing } from './errors.ts';
import { page } from './page.ts';

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

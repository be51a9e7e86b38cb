import { Aws, Duration, Token } from 'aws-cdk-lib';
import {
  CompositeAlarm,
  Dashboard,
  DashboardVariable,
  DefaultValue,
  type IAlarm,
  PeriodOverride,
  Values,
  VariableInputType,
  VariableType,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import {
  type DashboardPage,
  type DashboardRow,
  type DashboardView,
  dashboardLimits,
  dashboardPages,
  dashboardWidgets,
  type PhysicalName,
  periodChoices,
  without,
} from '../monitoring/index.ts';
import { prepend } from './dashboard-body.ts';

/**
 * Props of {@link MessagingDashboard}.
 *
 * @example
 * ```ts
 * const props: MessagingDashboardProps = {
 *   rows: dashboardOf(shop),
 *   alarms: [...stack.alarms.values()],
 *   physicalName,
 *   recordsTable: stack.records.tableName,
 *   dashboardName: 'Shop',
 * };
 * ```
 */
export interface MessagingDashboardProps {
  /** What is shown: of `dashboardOf`, or rows of one's own. */
  readonly rows: readonly DashboardRow[];
  /** Gives the physical names of what the rows show. */
  readonly physicalName: PhysicalName;
  /**
   * The name of the table of records.
   *
   * @default - what is about the table is left out
   */
  readonly recordsTable?: string | undefined;
  /**
   * The alarms whose states stand at the top, composite ones before the others.
   *
   * @default - none
   */
  readonly alarms?: readonly IAlarm[] | undefined;
  /**
   * The first dashboard's name: letters, digits, hyphens and underscores, with the number of the last dashboard at most
   * 255 of them. The second is named `<dashboardName>-2`.
   */
  readonly dashboardName: string;
  /**
   * How far back the graphs reach when a dashboard is opened.
   *
   * @default Duration.hours(3)
   */
  readonly defaultInterval?: Duration | undefined;
}

/**
 * The dashboards of a stack: the states of its alarms, then the rows, spread over as many dashboards as CloudWatch's
 * limits ask for, which are linked with each other. A choice at the top sets the period of all graphs.
 *
 * @throws Error when the name is none that CloudWatch takes
 * @throws RangeError when one row is more than a dashboard can hold
 * @example
 * ```ts
 * const { dashboards } = new MessagingDashboard(this, 'Watch', {
 *   rows: dashboardOf(shop),
 *   alarms: [...stack.alarms.values()],
 *   physicalName,
 *   dashboardName: 'Shop',
 * });
 * ```
 */
export class MessagingDashboard extends Construct {
  /** In the order of the rows; at least one. */
  readonly dashboards: readonly Dashboard[];
  /** The first: the one to look at. */
  readonly dashboard: Dashboard;

  constructor(scope: Construct, id: string, props: MessagingDashboardProps) {
    super(scope, id);
    const { alarms = [], physicalName, recordsTable, defaultInterval = Duration.hours(3) } = props;
    const rows = props.rows.map((row) =>
      recordsTable === undefined
        ? {
            ...row,
            graphs: row.graphs.flatMap((each) => without(each, ({ target }) => target.kind === 'records')),
          }
        : row,
    );
    const pages = dashboardPages(rows, { alarms: alarms.length });
    const names = pages.map((_, index) =>
      index === 0 ? props.dashboardName : `${props.dashboardName}-${index + 1}`,
    );
    checkName(props.dashboardName, names.at(-1)!);
    this.dashboards = pages.map((page, index) => {
      const dashboard = new Dashboard(this, index === 0 ? 'Dashboard' : `Dashboard${index + 1}`, {
        dashboardName: names[index]!,
        defaultInterval,
        periodOverride: PeriodOverride.INHERIT,
        variables: [periodVariable()],
      });
      const widgets = dashboardWidgets(page, {
        region: Aws.REGION,
        physicalName,
        recordsTable,
        links: pages.length > 1 ? links(pages, names, index) : undefined,
        alarms: index === 0 ? alarmLines(alarms) : [],
      });
      prepend(dashboard, widgets);
      return dashboard;
    });
    this.dashboard = this.dashboards[0]!;
  }
}

/** CloudWatch API reference, "PutDashboard". A name that is known only when the stack is deployed is AWS's to judge. */
function checkName(first: string, longest: string): void {
  if (Token.isUnresolved(first)) return;
  const { nameLength } = dashboardLimits;
  if (/^[A-Za-z0-9_-]+$/.test(first) && longest.length <= nameLength) return;
  throw new Error(
    `The dashboard's name is ${JSON.stringify(first)}${longest === first ? '' : `, the last one's ${JSON.stringify(longest)}`}; allowed are letters, digits, "-" and "_", 1 to ${nameLength} of them with the number at the end. Choose another "dashboardName".`,
  );
}

/** Sets the property `period` of every metric. */
const periodVariable = (): DashboardVariable =>
  new DashboardVariable({
    id: 'period',
    label: 'Period',
    type: VariableType.PROPERTY,
    value: 'period',
    inputType: VariableInputType.SELECT,
    values: Values.fromValues(
      ...periodChoices.map(({ label, period }) => ({ label, value: String(period) })),
    ),
    defaultValue: DefaultValue.value(String(periodChoices[0].period)),
    visible: true,
  });

/** CloudWatch user guide, "Add or remove a text widget from a CloudWatch dashboard": a link to another dashboard. */
const links = (
  pages: readonly DashboardPage[],
  names: readonly string[],
  shown: number,
): DashboardView['links'] => ({
  markdown: names
    .map((name, index) => {
      const text = `${index + 1}: ${contentsOf(pages[index]!)}`;
      return index === shown ? `**${text}**` : `[${text}](#dashboards:name=${name})`;
    })
    .join(' · '),
  height: Math.max(1, Math.ceil(pages.length / 6)),
});

/** From where to where a dashboard's rows reach. */
function contentsOf({ rows }: DashboardPage): string {
  const first = rows[0]?.subject;
  const last = rows.at(-1)?.subject;
  if (first === undefined || last === undefined) return 'alarms';
  const from = first.kind === 'overview' ? 'overview' : first.name;
  const to = last.kind === 'overview' ? 'overview' : last.name;
  return from === to ? from : `${from} to ${to}`;
}

function alarmLines(alarms: readonly IAlarm[]): NonNullable<DashboardView['alarms']> {
  const lines = (title: string, some: readonly IAlarm[]) =>
    some.length === 0 ? [] : [{ title, arns: some.map(({ alarmArn }) => alarmArn) }];
  const isComposite = (alarm: IAlarm) => alarm instanceof CompositeAlarm;
  return [
    ...lines('Composite alarms', alarms.filter(isComposite)),
    ...lines(
      'Alarms',
      alarms.filter((alarm) => !isComposite(alarm)),
    ),
  ];
}

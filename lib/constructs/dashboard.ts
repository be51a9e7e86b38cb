import { Duration } from 'aws-cdk-lib';
import {
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IAlarm,
  type IWidget,
  PeriodOverride,
  TextWidget,
  TextWidgetBackground,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import type { DashboardRow, GraphDefinition, PhysicalName } from '../monitoring/index.ts';
import { expression } from './metric.ts';

/**
 * Props of {@link MessagingDashboard}.
 *
 * @example
 * ```ts
 * const props: MessagingDashboardProps = {
 *   rows: dashboardOf(shop),
 *   alarms: [...stack.alarms.values()],
 *   physicalName,
 *   dashboardName: 'Shop',
 * };
 * ```
 */
export interface MessagingDashboardProps {
  readonly rows: readonly DashboardRow[];
  /** Gives the physical names of what the rows show. */
  readonly physicalName: PhysicalName;
  /** The alarms whose states stand at the top. */
  readonly alarms: readonly IAlarm[];
  /** The dashboard's name: letters, digits, hyphens and underscores. */
  readonly dashboardName: string;
}

/** The columns of a CloudWatch dashboard (CloudWatch API reference, "Dashboard Body Structure"). */
const columns = 24;
const graphsPerLine = 4;
/** An alarm widget shows up to 100 alarms (CloudWatch API reference, "Dashboard Body Structure"). */
const alarmsPerWidget = 100;

/**
 * The stack's dashboard: the states of its alarms, then a row for each topic and subscriber.
 *
 * @example
 * ```ts
 * new MessagingDashboard(this, 'Watch', {
 *   rows: dashboardOf(shop),
 *   alarms: [...stack.alarms.values()],
 *   physicalName,
 *   dashboardName: 'Shop',
 * });
 * ```
 */
export class MessagingDashboard extends Construct {
  readonly dashboard: Dashboard;

  constructor(scope: Construct, id: string, props: MessagingDashboardProps) {
    super(scope, id);
    this.dashboard = new Dashboard(this, 'Dashboard', {
      dashboardName: props.dashboardName,
      defaultInterval: Duration.hours(3),
      periodOverride: PeriodOverride.INHERIT,
    });
    for (const alarms of chunks(props.alarms, alarmsPerWidget))
      this.dashboard.addWidgets(
        new AlarmStatusWidget({
          title: 'Alarms',
          alarms,
          width: columns,
          height: 2 + Math.ceil(alarms.length / 6),
        }),
      );
    for (const row of props.rows) {
      this.dashboard.addWidgets(
        new TextWidget({
          markdown: `## ${row.title}`,
          width: columns,
          height: 1,
          background: TextWidgetBackground.TRANSPARENT,
        }),
      );
      for (const line of chunks(row.graphs, graphsPerLine))
        this.dashboard.addWidgets(...line.map((graph) => widget(graph, line.length, props.physicalName)));
    }
  }
}

function chunks<Item>(items: readonly Item[], size: number): Item[][] {
  const result: Item[][] = [];
  for (let start = 0; start < items.length; start += size) result.push(items.slice(start, start + size));
  return result;
}

const widget = (graph: GraphDefinition, inLine: number, physicalName: PhysicalName): IWidget =>
  new GraphWidget({
    title: graph.title,
    width: Math.floor(columns / inLine),
    height: 6,
    left: graph.series.map((series) =>
      expression(series.expression, graph.metrics, physicalName, series.label),
    ),
    leftAnnotations: graph.annotations.map(({ label, value }) => ({ label, value })),
    leftYAxis: { label: graph.unit, min: 0, showUnits: false },
  });

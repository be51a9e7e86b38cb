import type { Milliseconds } from '../../../lib/base/index.ts';

/**
 * A deployed dashboard, ready to be drawn: what its body says, with the data that the model has. Plain JSON; moments
 * are milliseconds since the Unix epoch.
 */
export interface DashboardView {
  readonly name: string;
  /** The time that the graphs show. */
  readonly start: Milliseconds;
  readonly end: Milliseconds;
  readonly variables: readonly VariableView[];
  readonly widgets: readonly WidgetView[];
}

/** A choice that the dashboard offers. */
export interface VariableView {
  readonly id: string;
  readonly label: string;
  /** What can be chosen; empty where any text can be entered. */
  readonly values: readonly { readonly value: string; readonly label: string }[];
  /** What is chosen; missing where nothing is, and the body stands as it is. */
  readonly value?: string;
  /** Whether it sets the period of the graphs. */
  readonly setsPeriod: boolean;
}

/** Where a widget lies in the grid of 24 columns. */
export interface PlaceView {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** A widget by its kind. */
export type WidgetView = PlaceView & (TextView | GraphView | AlarmsView | UnknownView);

/** A text in Markdown. */
export interface TextView {
  readonly kind: 'text';
  readonly markdown: string;
  readonly background: 'solid' | 'transparent';
}

/** Metrics, as a chart or as figures. */
export interface GraphView {
  readonly kind: 'graph';
  readonly title: string;
  readonly view: 'lines' | 'stacked' | 'bars' | 'numbers' | 'table';
  readonly series: readonly SeriesView[];
  readonly axes: { readonly left: AxisView; readonly right: AxisView };
  readonly lines: readonly LineView[];
  readonly moments: readonly { readonly at: Milliseconds; readonly label: string; readonly color?: string }[];
  /** Numbers with a small chart below each. */
  readonly sparkline: boolean;
  /** Why data is missing: what the model answered. */
  readonly trouble?: string;
}

/** An axis of a chart. */
export interface AxisView {
  readonly label: string;
  readonly min?: number;
  readonly max?: number;
}

/** A line of a chart: its points lie one step apart. */
export interface SeriesView {
  readonly label: string;
  readonly axis: 'left' | 'right';
  readonly color?: string;
  readonly start: Milliseconds;
  readonly step: Milliseconds;
  /** `null` where there is no data. */
  readonly values: readonly (number | null)[];
}

/** A horizontal line with a meaning. */
export interface LineView {
  readonly value: number;
  readonly label: string;
  readonly axis: 'left' | 'right';
  readonly color?: string;
  /** Which side of it is shaded. */
  readonly fill?: 'above' | 'below';
}

/** The states of alarms. */
export interface AlarmsView {
  readonly kind: 'alarms';
  readonly title: string;
  readonly alarms: readonly AlarmOfView[];
}

/** One alarm; without a state when the model has no alarm of that name. */
export interface AlarmOfView {
  readonly name: string;
  readonly composite: boolean;
  readonly state?: 'OK' | 'ALARM' | 'INSUFFICIENT_DATA';
  readonly reason: string;
  readonly since?: Milliseconds;
}

/** A widget that is not drawn here, with the reason. */
export interface UnknownView {
  readonly kind: 'unknown';
  readonly type: string;
  readonly message: string;
}

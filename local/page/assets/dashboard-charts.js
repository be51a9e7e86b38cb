import { element, setText } from './dom.js';
import { figure } from './format.js';
import uPlot from './uPlot.esm.js';

/** @import { DashboardView, GraphView, LineView, SeriesView, WidgetView } from '../dashboards/view.ts' */

/** Colours of the style sheet for lines that have none. */
const colors = 10;

/**
 * A chart over time with its lines, what is marked on it, and a legend that tells the values: the newest, or those under
 * the pointer.
 *
 * @param {GraphView} view
 * @returns {import('./dashboard-widgets.js').Drawn}
 */
export function chart(view) {
  const over = element('span', { class: 'over' });
  const units = [view.axes.left.label, view.axes.right.label]
    .filter((label) => label !== '')
    .join(', right: ');
  const plotArea = element('div', { class: 'plot', role: 'img' });
  const nothing = element('p', {}, 'no data in this time');
  const values = view.series.map(() => element('b'));
  const legend = element(
    'ul',
    { class: 'legend' },
    ...view.series.map((series, index) => {
      const item = element('li', {}, `${series.label} `, values[index] ?? '');
      item.style.setProperty('--own', series.color ?? `var(--s${index % colors})`);
      return item;
    }),
  );
  const node = element(
    'figure',
    { class: 'widget graph' },
    element('figcaption', {}, view.title, element('small', {}, units), over),
    plotArea,
    legend,
  );
  let present = view;
  /** @type {{ start: number, end: number }} */
  let shown = { start: 0, end: 1 };
  /** @type {uPlot | undefined} */
  let plot;
  /** @type {(number | null | undefined)[][]} */
  let own = [];

  /** @param {number | null | undefined} place */
  const tell = (place) => {
    for (const [index, series] of present.series.entries()) {
      const value = place == null ? lastOf(series) : own[index]?.[place];
      const cell = values[index];
      if (!cell) continue;
      setText(cell, value == null ? '-' : figure(value));
      cell.parentElement?.classList.toggle(
        'idle',
        !series.values.some((each) => each !== null && each !== 0),
      );
    }
  };

  const build = () => {
    plot?.destroy();
    plot = new uPlot(
      optionsOf(
        present,
        () => shown,
        sizeOf(plotArea),
        (place) => tell(place),
      ),
      dataOf(present, own),
      plotArea,
    );
  };
  new ResizeObserver(() => {
    if (plotArea.clientWidth === 0) return;
    if (plot) plot.setSize(sizeOf(plotArea));
    else build();
  }).observe(plotArea);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => plot && build());

  return {
    node,
    update(given, dashboard) {
      present = /** @type {GraphView} */ (given);
      shown = { start: dashboard.start / 1000, end: dashboard.end / 1000 };
      const axis = timesOf(present);
      own = present.series.map((series) => axis.map((second) => valueAt(series, second)));
      if (plot) plot.setData(dataOf(present, own));
      nothing.remove();
      if (present.series.every((series) => lastOf(series) === undefined)) plotArea.append(nothing);
      const above = present.lines.filter(({ value, axis: side, fill }) =>
        fill === 'below'
          ? false
          : present.series.some((each) => each.axis === side && (lastOf(each) ?? 0) > value),
      );
      setText(over, above.map(({ label, value }) => `above ${label || figure(value)}`).join(', '));
      tell(undefined);
      const told = present.series.map((each) => `${each.label} ${figure(lastOf(each) ?? 0)}`);
      plotArea.setAttribute('aria-label', `${present.title}, newest: ${told.join(', ')}`);
    },
  };
}

/** @param {Element} area */
const sizeOf = (area) => ({ width: Math.max(80, area.clientWidth), height: Math.max(50, area.clientHeight) });

/** @param {SeriesView} series */
const lastOf = ({ values }) => values.findLast((value) => value !== null) ?? undefined;

/** @param {GraphView} view */
const timesOf = (view) =>
  [
    ...new Set(
      view.series.flatMap(({ start, step, values }) =>
        values.map((_, index) => (start + index * step) / 1000),
      ),
    ),
  ].sort((a, b) => a - b);

/**
 * The value at a second: `null` where there is none, `undefined` between two points of a line with longer steps.
 *
 * @param {SeriesView} series
 * @param {number} second
 */
function valueAt({ start, step, values }, second) {
  const place = (second * 1000 - start) / step;
  return Number.isInteger(place) ? (values[place] ?? null) : undefined;
}

/**
 * The data as the library takes it; stacked lines stand on each other.
 *
 * @param {GraphView} view
 * @param {(number | null | undefined)[][]} own
 * @returns {uPlot.AlignedData}
 */
function dataOf(view, own) {
  const times = timesOf(view);
  if (view.view !== 'stacked') return /** @type {uPlot.AlignedData} */ ([times, ...own]);
  const sums = times.map(() => 0);
  const stacked = own.map((values) =>
    values.map((value, index) => {
      sums[index] = (sums[index] ?? 0) + (value ?? 0);
      return value === undefined ? undefined : own.every((each) => each[index] == null) ? null : sums[index];
    }),
  );
  return /** @type {uPlot.AlignedData} */ ([times, ...stacked]);
}

/**
 * @param {GraphView} view
 * @param {() => { start: number, end: number }} shown
 * @param {{ width: number, height: number }} size
 * @param {(place: number | null | undefined) => void} tell
 * @returns {uPlot.Options}
 */
function optionsOf(view, shown, size, tell) {
  const style = getComputedStyle(document.documentElement);
  /** @param {string} name */
  const color = (name) => style.getPropertyValue(`--${name}`).trim();
  /** @param {number} index */
  const colorOf = (index) => view.series[index]?.color ?? color(`s${index % colors}`);
  const axis = {
    stroke: color('soft'),
    grid: { stroke: color('grid'), width: 1 },
    ticks: { show: false },
    font: '11px system-ui',
  };
  const stacked = view.view === 'stacked';
  /** @param {'left' | 'right'} side */
  const scale = (side) => ({
    /**
     * @param {uPlot} _plot
     * @param {number | null} least
     * @param {number | null} most
     * @returns {[number, number]}
     */
    range: (_plot, least, most) => {
      const marks = view.lines.filter((line) => line.axis === side).map(({ value }) => value);
      const { min, max } = view.axes[side];
      const top = max ?? Math.max(0, most ?? 0, ...marks) * 1.1;
      const bottom = min ?? Math.min(0, least ?? 0, ...marks);
      return [bottom, top > bottom ? top : bottom + 1];
    },
  });
  const right = view.series.some((series) => series.axis === 'right');
  return {
    ...size,
    padding: [8, right ? 0 : 18, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { setScale: false, x: false, y: false }, points: { size: 5 } },
    scales: {
      x: { time: true, range: () => [shown().start, shown().end] },
      left: scale('left'),
      right: scale('right'),
    },
    axes: [
      { ...axis, size: 20, space: 60, values: (_plot, ticks) => ticks.map((tick) => clock(tick, shown())) },
      { ...axis, scale: 'left', size: 44, space: 26, values: (_plot, ticks) => ticks.map(figure) },
      ...(right
        ? [
            {
              ...axis,
              scale: 'right',
              side: /** @type {const} */ (1),
              size: 44,
              space: 26,
              grid: { show: false },
              /** @param {uPlot} _plot @param {number[]} ticks */
              values: (_plot, ticks) => ticks.map(figure),
            },
          ]
        : []),
    ],
    series: [
      {},
      ...view.series.map((series, index) => ({
        label: series.label,
        scale: series.axis,
        stroke: colorOf(index),
        width: 1.6,
        ...(stacked && index === 0 ? { fill: `${hex(colorOf(0))}` } : {}),
        points: { size: 4, ...(series.values.length > 120 ? { filter: lonely } : {}) },
      })),
    ],
    ...(stacked
      ? {
          bands: view.series.slice(1).map((_, index) => ({
            series: /** @type {[number, number]} */ ([index + 2, index + 1]),
            fill: hex(colorOf(index + 1)),
          })),
        }
      : {}),
    hooks: {
      setCursor: [
        (plot) => tell(plot.cursor.left != null && plot.cursor.left >= 0 ? plot.cursor.idx : undefined),
      ],
      draw: [
        (plot) => {
          for (const line of view.lines) mark(plot, line, color);
          for (const moment of view.moments) markMoment(plot, moment, color);
        },
      ],
    },
  };
}

/**
 * A colour that lets the grid through.
 *
 * @param {string} color
 */
const hex = (color) => (/^#[0-9a-f]{6}$/i.test(color) ? `${color}40` : color);

/**
 * Points that stand alone: a line would not show them.
 *
 * @param {uPlot} plot
 * @param {number} series
 * @returns {number[]}
 */
function lonely(plot, series) {
  const values = plot.data[series] ?? [];
  return Array.from(values.keys()).filter(
    (index) => values[index] != null && values[index - 1] == null && values[index + 1] == null,
  );
}

/**
 * @param {number} second
 * @param {{ start: number, end: number }} shown
 */
function clock(second, { start, end }) {
  const moment = new Date(second * 1000);
  return end - start > 2 * 86_400
    ? moment.toLocaleDateString('en-GB', { day: 'numeric', month: 'short' })
    : moment.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' });
}

/**
 * A horizontal line with its name.
 *
 * @param {uPlot} plot
 * @param {LineView} line
 * @param {(name: string) => string} color
 */
function mark(plot, line, color) {
  const y = plot.valToPos(line.value, line.axis, true);
  const { left, top, width, height } = plot.bbox;
  if (y < top - 1 || y > top + height + 1) return;
  const { ctx } = plot;
  const scale = devicePixelRatio;
  ctx.save();
  ctx.strokeStyle = line.color ?? color('breach');
  ctx.fillStyle = ctx.strokeStyle;
  if (line.fill !== undefined) {
    ctx.globalAlpha = 0.08;
    ctx.fillRect(
      left,
      line.fill === 'above' ? top : y,
      width,
      line.fill === 'above' ? y - top : top + height - y,
    );
    ctx.globalAlpha = 1;
  }
  ctx.lineWidth = 1.2 * scale;
  ctx.setLineDash([6 * scale, 4 * scale]);
  ctx.beginPath();
  ctx.moveTo(left, y);
  ctx.lineTo(left + width, y);
  ctx.stroke();
  ctx.font = `${11 * scale}px system-ui`;
  ctx.textAlign = 'left';
  // At the beginning: what matters is drawn at the end. Above the line, or below it where the line is at the top.
  const room = y - top > 14 * scale;
  ctx.textBaseline = room ? 'bottom' : 'top';
  ctx.fillText(line.label, left + 4 * scale, y + (room ? -2 : 3) * scale);
  ctx.restore();
}

/**
 * A vertical line with its name.
 *
 * @param {uPlot} plot
 * @param {GraphView['moments'][number]} moment
 * @param {(name: string) => string} color
 */
function markMoment(plot, moment, color) {
  const x = plot.valToPos(moment.at / 1000, 'x', true);
  const { left, top, width, height } = plot.bbox;
  if (x < left || x > left + width) return;
  const { ctx } = plot;
  ctx.save();
  ctx.strokeStyle = moment.color ?? color('soft');
  ctx.fillStyle = ctx.strokeStyle;
  ctx.beginPath();
  ctx.moveTo(x, top);
  ctx.lineTo(x, top + height);
  ctx.stroke();
  ctx.font = `${11 * devicePixelRatio}px system-ui`;
  ctx.textAlign = 'left';
  ctx.textBaseline = 'top';
  ctx.fillText(moment.label, x + 3 * devicePixelRatio, top + 2);
  ctx.restore();
}

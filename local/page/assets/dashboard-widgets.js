import { chart } from './dashboard-charts.js';
import { element, setText, svg } from './dom.js';
import { figure } from './format.js';
import { markdown } from './markdown.js';

/** @import { AlarmsView, DashboardView, GraphView, TextView, UnknownView, WidgetView } from '../dashboards/view.ts' */

/**
 * A widget on the page: its element, and how it takes new data.
 *
 * @typedef {{ node: HTMLElement, update: (view: WidgetView, shown: DashboardView) => void }} Drawn
 */

/**
 * What of a widget is not data: as long as it is the same, the widget is updated in place.
 *
 * @param {WidgetView} view
 */
export function shapeOf(view) {
  if (view.kind !== 'graph') return JSON.stringify({ ...view, alarms: undefined });
  const series = view.series.map(({ values, start, ...rest }) => rest);
  return JSON.stringify({ ...view, series });
}

/**
 * Draws a widget by its kind.
 *
 * @param {WidgetView} view
 * @returns {Drawn}
 */
export function draw(view) {
  switch (view.kind) {
    case 'text':
      return still(text(view));
    case 'alarms':
      return alarms();
    case 'graph':
      if (view.trouble !== undefined) return still(troubled(view, view.trouble));
      return view.view === 'numbers' ? numbers(view) : view.view === 'table' ? table(view) : chart(view);
    case 'unknown':
      return still(unknown(view));
  }
}

/**
 * @param {HTMLElement} node
 * @returns {Drawn}
 */
const still = (node) => ({ node, update: () => {} });

/** @param {TextView} view */
const text = (view) =>
  element('section', { class: `widget text ${view.background}` }, ...markdown(view.markdown));

/** @param {UnknownView} view */
const unknown = (view) =>
  element(
    'section',
    { class: 'widget unknown' },
    element('h2', {}, view.type),
    element('p', { class: 'told' }, view.message),
  );

/**
 * @param {GraphView} view
 * @param {string} trouble
 */
const troubled = (view, trouble) =>
  element(
    'section',
    { class: 'widget unknown' },
    element('h2', {}, view.title),
    element('p', { class: 'told' }, trouble),
  );

/** @returns {Drawn} */
function alarms() {
  const title = element('h2');
  const list = element('ul', { class: 'states' });
  let shown = '';
  return {
    node: element('section', { class: 'widget alarms', tabindex: '0' }, title, list),
    update(given) {
      const view = /** @type {AlarmsView} */ (given);
      const key = JSON.stringify(view.alarms);
      if (key === shown) return;
      shown = key;
      const ringing = view.alarms.filter(({ state }) => state === 'ALARM').length;
      title.replaceChildren(
        view.title,
        ringing === 0
          ? element('small', {}, `${view.alarms.length}, none in alarm`)
          : element('span', { class: 'over' }, `${ringing} of ${view.alarms.length} in alarm`),
      );
      list.replaceChildren(
        ...view.alarms.map((alarm) =>
          element(
            'li',
            {
              class: alarm.state === 'ALARM' ? 'bad' : alarm.state === 'OK' ? 'ok' : 'quiet',
              title: `${alarm.name}\n${alarm.reason}`,
            },
            element('span', {}, alarm.name),
            element('strong', {}, stateOf(alarm.state)),
          ),
        ),
      );
    },
  };
}

/** @param {string | undefined} state */
const stateOf = (state) =>
  state === undefined
    ? 'not found'
    : state === 'INSUFFICIENT_DATA'
      ? 'no data'
      : state === 'ALARM'
        ? 'ALARM'
        : 'OK';

/**
 * The newest value of each line, with what it was before.
 *
 * @param {GraphView} view
 * @returns {Drawn}
 */
function numbers(view) {
  const list = element('dl', { class: 'numbers' });
  const cells = view.series.map((series, index) => {
    const value = element('dd');
    const line = svg('polyline', { points: '' });
    const picture = svg(
      'svg',
      { viewBox: '0 0 100 22', preserveAspectRatio: 'none', 'aria-hidden': 'true' },
      line,
    );
    const cell = element('div', {}, element('dt', {}, series.label), value);
    cell.style.setProperty('--own', series.color ?? `var(--s${index % 10})`);
    if (view.sparkline) cell.append(picture);
    list.append(cell);
    return { value, line };
  });
  return {
    node: element(
      'section',
      { class: 'widget figures-of' },
      ...(view.title === '' ? [] : [element('h2', {}, view.title)]),
      list,
    ),
    update(given) {
      for (const [index, { values }] of /** @type {GraphView} */ (given).series.entries()) {
        const cell = cells[index];
        if (!cell) continue;
        const last = values.findLast((value) => value !== null);
        setText(cell.value, last == null ? '-' : figure(last));
        const most = Math.max(1e-9, ...values.map((value) => value ?? 0));
        const points = values.flatMap((value, place) =>
          value === null
            ? []
            : `${(100 * place) / Math.max(1, values.length - 1)},${21 - (19 * value) / most}`,
        );
        cell.line.setAttribute('points', points.join(' '));
      }
    },
  };
}

/**
 * @param {GraphView} view
 * @returns {Drawn}
 */
function table(view) {
  const cells = view.series.map(() => element('td'));
  const rows = view.series.map((series, index) =>
    element('tr', {}, element('th', { scope: 'row' }, series.label), cells[index] ?? ''),
  );
  return {
    node: element(
      'section',
      { class: 'widget', tabindex: '0' },
      element('h2', {}, view.title),
      element('div', { class: 'rows' }, element('table', {}, element('tbody', {}, ...rows))),
    ),
    update(given) {
      for (const [index, { values }] of /** @type {GraphView} */ (given).series.entries()) {
        const last = values.findLast((value) => value !== null);
        const cell = cells[index];
        if (cell) setText(cell, last == null ? '-' : figure(last));
      }
    },
  };
}

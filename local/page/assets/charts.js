import { element } from './dom.js';
import { compact, onAxis } from './format.js';
import uPlot from './uPlot.esm.js';

/**
 * @typedef {{ label: string, color: string, fill?: boolean, dash?: boolean }} Line - `color` names a variable of the style sheet
 */

const height = 130;

/**
 * A small chart over the seconds of the run, with its key above it.
 *
 * @param {Element} parent
 * @param {string} title
 * @param {Line[]} lines
 * @param {(value: number) => string} [format]
 */
export function chart(parent, title, lines, format = compact) {
  const caption = element('figcaption', {}, element('strong', {}, title));
  /** @type {HTMLElement[]} */
  const latest = [];
  for (const line of lines) {
    const value = element('span', {}, `${line.label} `);
    latest.push(value);
    caption.append(element('span', { class: `key ${line.color}` }, value));
  }
  const plotArea = element('div');
  const figure = element('figure', { class: 'chart' }, caption, plotArea);
  parent.append(figure);

  /** @type {uPlot.AlignedData} */
  let data = [[], ...lines.map(() => [])];
  /** @type {uPlot | undefined} */
  let plot;

  const draw = () => {
    plot?.destroy();
    const style = getComputedStyle(document.documentElement);
    /** @param {string} name */
    const color = (name) => style.getPropertyValue(`--${name}`).trim();
    const axis = {
      stroke: color('soft'),
      grid: { stroke: color('grid'), width: 1 },
      ticks: { show: false },
      font: '11px system-ui',
    };
    plot = new uPlot(
      {
        width: Math.max(200, plotArea.clientWidth),
        height,
        legend: { show: false },
        cursor: { y: false, drag: { setScale: false } },
        scales: {
          x: { time: false },
          y: { range: (_plot, _least, most) => [0, Math.max(1, (most ?? 0) * 1.08)] },
        },
        axes: [
          { ...axis, size: 22, values: (_plot, ticks) => ticks.map(onAxis) },
          { ...axis, size: 46, values: (_plot, ticks) => ticks.map(format) },
        ],
        series: [
          {},
          ...lines.map((line) => ({
            label: line.label,
            stroke: color(line.color),
            width: line.dash ? 1 : 1.6,
            points: { show: false },
            ...(line.dash ? { dash: [6, 4] } : {}),
            ...(line.fill ? { fill: `${color(line.color)}2b` } : {}),
          })),
        ],
      },
      data,
      plotArea,
    );
  };

  draw();
  new ResizeObserver(() => plot?.setSize({ width: Math.max(200, plotArea.clientWidth), height })).observe(
    plotArea,
  );
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', draw);

  return {
    /** @param {uPlot.AlignedData} next - the seconds, then a list for each line */
    update(next) {
      data = next;
      plot?.setData(data);
      for (const [index, line] of lines.entries()) {
        const values = next[index + 1];
        const last = values?.[values.length - 1];
        const label = latest[index];
        if (label) label.textContent = last == null ? line.label : `${line.label} ${format(last)}`;
      }
    },
  };
}

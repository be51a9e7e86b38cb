import { element } from './dom.js';

/** @import { DashboardView } from '../dashboards/view.ts' */

const ranges = [
  ['', 'as the dashboard says'],
  ['PT15M', '15 minutes'],
  ['PT1H', '1 hour'],
  ['PT3H', '3 hours'],
  ['PT12H', '12 hours'],
  ['P1D', '1 day'],
  ['P3D', '3 days'],
  ['P1W', '1 week'],
];
const periods = [
  ['', 'as the dashboard says'],
  ['60', '1 minute'],
  ['300', '5 minutes'],
  ['900', '15 minutes'],
  ['3600', '1 hour'],
];
const refreshes = [
  ['10', 'every 10 s'],
  ['60', 'every minute'],
  ['0', 'off'],
];

/**
 * What is shown, by choice: the address of the page keeps it, so that a look can be passed on.
 *
 * @param {HTMLElement} form
 * @param {() => void} changed - called when another choice was made
 */
export function choices(form, changed) {
  const query = new URLSearchParams(location.search);
  let shape = '';
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    changed();
  });

  /**
   * @param {string} name
   * @param {string} label
   * @param {(readonly [string, string])[]} values - none: any text
   * @param {string} standard
   */
  const field = (name, label, values, standard) => {
    const chosen = query.get(name) ?? standard;
    const options = values.map(([value, text]) =>
      element('option', { value, ...(value === chosen ? { selected: '' } : {}) }, text),
    );
    const input =
      values.length === 0
        ? element('input', { name, value: chosen, size: '14' })
        : element('select', { name }, ...options);
    input.addEventListener('change', () => {
      if (input.value === standard) query.delete(name);
      else query.set(name, input.value);
      history.replaceState(null, '', query.size === 0 ? location.pathname : `?${query}`);
      changed();
    });
    return element('label', {}, `${label} `, input);
  };

  return {
    /** The choices as the server takes them. */
    query: () => query.toString(),
    /** Seconds between two looks; 0 for none. */
    refresh: () => Number(query.get('refresh') ?? '10'),
    /**
     * Offers the dashboard's own variables.
     *
     * @param {DashboardView} view
     */
    offer(view) {
      const offered = JSON.stringify(view.variables.map(({ value, ...rest }) => rest));
      if (offered === shape) return;
      shape = offered;
      form.replaceChildren(
        ...view.variables.map((variable) =>
          field(
            `var.${variable.id}`,
            variable.label,
            variable.values.map(({ value, label }) => [value, label]),
            variable.value ?? '',
          ),
        ),
        ...(view.variables.some(({ setsPeriod }) => setsPeriod)
          ? []
          : [field('period', 'Period', /** @type {[string, string][]} */ (periods), '')]),
        field('range', 'Time', /** @type {[string, string][]} */ (ranges), ''),
        field('refresh', 'Refresh', /** @type {[string, string][]} */ (refreshes), '10'),
        element('button', { type: 'submit' }, 'Refresh now'),
      );
    },
  };
}

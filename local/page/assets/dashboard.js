import { choices } from './dashboard-choices.js';
import { draw, shapeOf } from './dashboard-widgets.js';
import { byId, element, setText } from './dom.js';

/** @import { DashboardView } from '../dashboards/view.ts' */

const name = location.pathname.split('/').at(-1) ?? '';

/** @type {{ shape: string, drawn: import('./dashboard-widgets.js').Drawn }[]} */
let widgets = [];

/** @param {DashboardView} view */
function show(view) {
  const main = byId('widgets');
  widgets = view.widgets.map((widget, index) => {
    const shape = shapeOf(widget);
    const known = widgets[index];
    if (known?.shape === shape) {
      known.drawn.update(widget, view);
      return known;
    }
    const drawn = draw(widget);
    drawn.node.style.gridArea = `${widget.y + 1} / ${widget.x + 1} / span ${widget.height} / span ${widget.width}`;
    if (known) known.drawn.node.replaceWith(drawn.node);
    else main.append(drawn.node);
    drawn.update(widget, view);
    return { shape, drawn };
  });
  while (main.childElementCount > widgets.length) main.lastElementChild?.remove();
  /** @param {number} moment */
  const clock = (moment) =>
    new Date(moment).toLocaleString('en-GB', {
      day: 'numeric',
      month: 'short',
      hour: '2-digit',
      minute: '2-digit',
    });
  setText(byId('shown'), `${clock(view.start)} to ${clock(view.end)}`);
}

async function showList() {
  const response = await fetch('list.json');
  /** @type {{ names: string[] }} */
  const { names } = await response.json();
  const main = byId('widgets');
  main.className = 'list';
  main.replaceChildren(
    element('h2', {}, 'Dashboards that are deployed'),
    names.length === 0
      ? element('p', { class: 'empty' }, 'None is deployed yet.')
      : // A choice that the list was opened with holds for what is opened from it.
        element(
          'ul',
          {},
          ...names.map((each) =>
            element('li', {}, element('a', { href: `${each}${location.search}` }, each)),
          ),
        ),
  );
}

/** The look that is under way: one that comes too late is not shown. */
let looks = 0;

async function look() {
  const own = ++looks;
  const trouble = byId('trouble');
  try {
    const response = await fetch(`${name}/view?${chosen.query()}`);
    const answer = await response.json();
    if (own !== looks) return;
    if (!response.ok) throw new Error(answer.message);
    chosen.offer(answer);
    show(answer);
    trouble.hidden = true;
  } catch (error) {
    if (own !== looks) return;
    setText(trouble, `What is shown is not up to date: ${error instanceof Error ? error.message : error}`);
    trouble.hidden = false;
  }
}

let refreshed = 0;
const chosen = choices(byId('choices'), look);

if (name === '') await showList();
else {
  setText(byId('title'), name);
  document.title = `${name} · dashboards · sluice`;
  await look();
  // The page lives in a browser, on its clock.
  setInterval(() => {
    const every = chosen.refresh();
    refreshed += 1;
    if (every === 0 || refreshed < every || document.hidden) return;
    refreshed = 0;
    void look();
  }, 1000);
}

import { chart } from './charts.js';
import { byId, element, figureList, setText } from './dom.js';
import { count, duration, onAxis } from './format.js';
import { topologyPicture } from './topology.js';

/** @import { RunSample, RunState } from '../state.ts' */

/** @type {RunSample[]} */
let samples = [];
/** @type {ReturnType<typeof build> | undefined} */
let page;

/**
 * Makes what depends on the topology; all else is updated in place.
 *
 * @param {RunState} state
 */
function build(state) {
  for (const id of ['figures', 'topology', 'publisher-charts', 'subscribers']) byId(id).replaceChildren();
  const rate = chart(byId('publisher-charts'), 'Published a second', [
    { label: 'orders', color: 'arrivals', fill: true },
  ]);
  const latency = chart(byId('publisher-charts'), 'Publish latency, p99 of each second, ms', [
    { label: 'p99', color: 'backlog' },
  ]);
  return {
    shape: JSON.stringify(state.topology),
    figures: figureList(byId('figures')),
    topology: topologyPicture(byId('topology'), state),
    rate,
    latency,
    subscribers: state.topology.subscribers.map((subscriber) => subscriberCard(subscriber)),
  };
}

/** @param {RunState['topology']['subscribers'][number]} subscriber */
function subscriberCard(subscriber) {
  const alarm = element('span', { class: 'badge quiet' }, 'no alarm');
  const trouble = element('p', { class: 'trouble' });
  const list = element('dl', { class: 'figures' });
  const charts = element('div', { class: 'charts' });
  const card = element(
    'article',
    { class: 'card', id: `subscriber-${subscriber.name}` },
    element(
      'h2',
      {},
      subscriber.name,
      alarm,
      element(
        'small',
        {},
        `${subscriber.fifo ? 'FIFO' : 'standard'} queue, lag SLO ${duration(subscriber.lag)}, concurrency ${subscriber.concurrency}, batch ${subscriber.batchSize}, ${subscriber.attempts} attempts`,
      ),
    ),
    trouble,
    list,
    charts,
  );
  byId('subscribers').append(card);
  return {
    alarm,
    trouble,
    figures: figureList(list),
    backlog: chart(charts, 'Backlog', [
      { label: 'waiting', color: 'backlog', fill: true },
      { label: 'in flight', color: 'flight' },
    ]),
    age: chart(
      charts,
      'Age of the oldest',
      [
        { label: 'age', color: 'backlog', fill: true },
        { label: 'SLO', color: 'breach', dash: true },
      ],
      (value) => (value < 10 && value % 1 !== 0 ? `${value.toFixed(1)} s` : `${Math.round(value)} s`),
    ),
    flow: chart(charts, 'A second', [
      { label: 'arrivals', color: 'arrivals' },
      { label: 'completions', color: 'completions' },
    ]),
  };
}

/** @param {RunState} state */
function show(state) {
  if (!page || page.shape !== JSON.stringify(state.topology)) page = build(state);
  document.title = `${state.phase} · ${state.title} · sluice`;
  setText(byId('title'), state.title);
  setText(byId('message'), state.message);
  const phase = byId('phase');
  setText(phase, state.phase);
  phase.className = `badge ${state.phase === 'failed' || state.report?.ok === false ? 'bad' : state.phase === 'done' ? 'ok' : 'warn'}`;

  const start = state.publishingSince ?? state.startedAt;
  const present = samples.at(-1);
  showOverview(page.figures, state);
  page.topology.update(
    state,
    (present?.subscribers ?? []).map(({ backlog, oldestSeconds }) => ({ backlog, oldestSeconds })),
  );

  const axis = samples.map((sample) => (sample.at - start) / 1000);
  page.rate.update([axis, samples.map((sample) => sample.published)]);
  page.latency.update([axis, samples.map((sample) => sample.publishP99Ms ?? null)]);
  for (const [index, card] of page.subscribers.entries()) {
    const subscriber = state.subscribers[index];
    const declared = state.topology.subscribers[index];
    if (!subscriber || !declared) continue;
    const own = samples.map((sample) => sample.subscribers[index]);
    showSubscriber(card, subscriber, declared.lag, own.at(-1));
    showAlarmBadge(card.alarm, state, subscriber.name);
    card.backlog.update([axis, own.map((s) => s?.backlog ?? null), own.map((s) => s?.inFlight ?? null)]);
    card.age.update([axis, own.map((s) => s?.oldestSeconds ?? null), own.map(() => declared.lag)]);
    card.flow.update([axis, own.map((s) => s?.arrived ?? null), own.map((s) => s?.completed ?? null)]);
  }
  showAlarms(state, start);
  showIncidents(state, start);
  showReport(state);
}

/**
 * @param {ReturnType<typeof figureList>} figure
 * @param {RunState} state
 */
function showOverview(figure, state) {
  const { publisher } = state;
  figure(
    'Published',
    `${count(publisher.published)} of ${count(publisher.planned)}`,
    publisher.published === publisher.planned ? 'ok' : '',
  );
  if (publisher.failed > 0) figure('Failed publishes', count(publisher.failed), 'bad');
  if (publisher.refused > 0) figure('Refused rows', count(publisher.refused), 'bad');
  const latency = publisher.latencyMs;
  figure('Publish latency p50', latency ? `${latency.p50.toFixed(1)} ms` : '-');
  figure('p99', latency ? `${latency.p99.toFixed(1)} ms` : '-');
  figure('max', latency ? `${latency.max.toFixed(1)} ms` : '-');
  figure('Completions', count(state.subscribers.reduce((sum, one) => sum + one.completed, 0)));
  figure(
    'Duplicates suppressed',
    count(state.subscribers.reduce((sum, one) => sum + one.duplicatesSuppressed, 0)),
  );
  const letters = state.subscribers.reduce((sum, one) => sum + deadLettered(one), 0);
  figure('Dead letters', count(letters), letters > 0 ? 'bad' : '');
  const ringing = state.alarms.filter((alarm) => alarm.state === 'ALARM').length;
  figure('Alarms', ringing === 0 ? 'none' : count(ringing), ringing === 0 ? 'ok' : 'bad');
  const end = state.drainedAt ?? state.at;
  if (state.publishingSince !== undefined) figure('Elapsed', duration((end - state.publishingSince) / 1000));
}

/** @param {RunState['subscribers'][number]} subscriber */
const deadLettered = (subscriber) => subscriber.deadLetters.reduce((sum, letter) => sum + letter.count, 0);

/**
 * @param {ReturnType<typeof subscriberCard>} card
 * @param {RunState['subscribers'][number]} subscriber
 * @param {number} slo
 * @param {RunSample['subscribers'][number] | undefined} present
 */
function showSubscriber(card, subscriber, slo, present) {
  card.trouble.hidden = subscriber.trouble === undefined;
  setText(card.trouble, subscriber.trouble ?? '');
  const age = present?.oldestSeconds ?? 0;
  card.figures('Backlog', count(present?.backlog ?? 0));
  card.figures('Peak backlog', count(subscriber.peakBacklog));
  card.figures('Oldest undone', age === 0 ? 'none' : duration(age), age > slo ? 'bad' : 'ok');
  card.figures('Peak lag', duration(subscriber.peakLagSeconds), subscriber.peakLagSeconds > slo ? 'bad' : '');
  card.figures('Arrived', count(subscriber.arrived));
  card.figures('Completed', count(subscriber.completed));
  card.figures('Duplicates suppressed', count(subscriber.duplicatesSuppressed));
  card.figures('Retries', count(subscriber.retried));
  const letters = subscriber.deadLetters
    .map((letter) => `${count(letter.count)} ${letter.reason}`)
    .join(', ');
  card.figures('Dead letters', letters === '' ? 'none' : letters, letters === '' ? '' : 'bad');
}

/**
 * @param {HTMLElement} badge
 * @param {RunState} state
 * @param {string} subscriber
 */
function showAlarmBadge(badge, state, subscriber) {
  const ringing = state.alarms.filter(
    (alarm) => alarm.subscriber === subscriber && alarm.state === 'ALARM',
  ).length;
  setText(badge, ringing === 0 ? 'no alarm' : ringing === 1 ? '1 alarm' : `${ringing} alarms`);
  badge.className = `badge ${ringing === 0 ? 'ok' : 'bad'}`;
}

/**
 * @param {RunState} state
 * @param {number} start
 */
function showAlarms(state, start) {
  const key = JSON.stringify(state.alarms);
  const parent = byId('alarms');
  if (parent.dataset.shown === key) return;
  parent.dataset.shown = key;
  if (state.alarms.length === 0) {
    parent.replaceChildren(element('p', { class: 'empty' }, 'The stack has no alarm yet.'));
    return;
  }
  const rows = state.alarms.map((alarm) => {
    const tone = alarm.state === 'ALARM' ? 'bad' : alarm.state === 'OK' ? 'ok' : 'quiet';
    const changes = alarm.changes
      .map((change) => `${onAxis((change.at - start) / 1000)} ${change.to}`)
      .join(', ');
    return element(
      'tr',
      { title: alarm.reason },
      element('td', {}, element('span', { class: `badge ${tone}` }, alarm.state.replace('_', ' '))),
      element('td', { class: 'name' }, alarm.name),
      element('td', {}, changes === '' ? 'no change' : changes),
    );
  });
  parent.replaceChildren(
    element(
      'table',
      {},
      element(
        'thead',
        {},
        element('tr', {}, ...['State', 'Alarm', 'Changes'].map((name) => element('th', {}, name))),
      ),
      element('tbody', {}, ...rows),
    ),
  );
}

/**
 * @param {RunState} state
 * @param {number} start
 */
function showIncidents(state, start) {
  const parent = byId('incidents');
  if (parent.childElementCount === state.incidents.length && state.incidents.length > 0) return;
  const rows = state.incidents
    .toReversed()
    .map((incident) =>
      element(
        'li',
        {},
        element('time', {}, onAxis((incident.at - start) / 1000)),
        element('span', {}, incident.text),
      ),
    );
  parent.replaceChildren(...(rows.length === 0 ? [element('li', { class: 'empty' }, 'Nothing yet.')] : rows));
}

/** @param {RunState} state */
function showReport(state) {
  const parent = byId('report');
  const { report } = state;
  parent.hidden = report === undefined;
  if (!report || parent.childElementCount > 0) return;
  parent.className = report.ok ? 'ok' : 'bad';
  const list = element('dl', { class: 'figures' });
  const figure = figureList(list);
  for (const { name, value } of report.figures) figure(name, value);
  const link = element('a', { href: 'report.json', download: 'report.json' }, 'The whole report as JSON');
  parent.append(
    element('h2', { id: 'report-heading' }, report.verdict),
    element('ul', {}, ...report.failures.map((failure) => element('li', {}, failure))),
    list,
    link,
  );
}

const stream = new EventSource('events');
stream.addEventListener('snapshot', (event) => {
  const snapshot = JSON.parse(event.data);
  samples = snapshot.samples;
  byId('report').replaceChildren();
  show(snapshot.state);
});
stream.addEventListener('update', (event) => {
  const update = JSON.parse(event.data);
  if (update.sample) samples.push(update.sample);
  show(update.state);
});
stream.addEventListener('open', () => {
  byId('connection').hidden = true;
});
stream.addEventListener('error', () => {
  byId('connection').hidden = false;
});

import { svg } from './dom.js';
import { count, duration } from './format.js';

/** @import { RunState } from '../state.ts' */

const rowHeight = 46;
const width = 640;

/**
 * The topology as a picture: publisher, topics, queues with their backlog as a filling bar, and what the
 * handlers act on.
 *
 * @param {Element} parent
 * @param {RunState} first
 */
export function topologyPicture(parent, first) {
  const { topics, subscribers } = first.topology;
  const height = Math.max(subscribers.length, 1) * rowHeight + 10;
  const picture = svg('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img' });
  picture.append(svg('title', {}, `Topology of ${first.topology.name}`));
  const middle = height / 2;

  picture.append(svg('rect', { x: 4, y: middle - 19, width: 88, height: 38, rx: 6 }));
  picture.append(svg('text', { x: 14, y: middle - 2 }, 'publisher'));
  const published = svg('text', { class: 'soft', x: 14, y: middle + 12 });
  picture.append(published);

  /** @type {Map<string, number>} */
  const topicAt = new Map();
  for (const [index, topic] of topics.entries()) {
    const y = ((index + 0.5) * height) / topics.length;
    topicAt.set(topic.name, y);
    picture.append(svg('path', { d: `M92 ${middle} C 112 ${middle}, 112 ${y}, 130 ${y}` }));
    picture.append(svg('rect', { x: 130, y: y - 19, width: 100, height: 38, rx: 19 }));
    picture.append(svg('text', { x: 145, y: y - 2 }, topic.name));
    picture.append(
      svg('text', { class: 'soft', x: 145, y: y + 12 }, topic.fifo ? 'SNS FIFO topic' : 'SNS topic'),
    );
  }

  const rows = subscribers.map((subscriber, index) => {
    const y = (index + 0.5) * rowHeight + 5;
    const from = topicAt.get(subscriber.topic) ?? middle;
    picture.append(svg('path', { d: `M230 ${from} C 260 ${from}, 252 ${y}, 280 ${y}` }));
    picture.append(svg('rect', { x: 280, y: y - 18, width: 180, height: 36, rx: 4 }));
    const fill = svg('rect', { class: 'fill', x: 281, y: y - 17, width: 0, height: 34, rx: 3 });
    const lag = svg('text', { class: 'soft', x: 290, y: y + 12 });
    picture.append(fill, svg('text', { x: 290, y: y - 3 }, subscriber.name), lag);
    picture.append(
      svg(
        'text',
        { class: 'soft', x: 452, y: y - 3, 'text-anchor': 'end' },
        subscriber.fifo ? 'FIFO' : 'standard',
      ),
    );
    picture.append(svg('path', { d: `M460 ${y} L 486 ${y}` }));
    picture.append(svg('text', { x: 492, y: y - 2 }, subscriber.acts));
    const done = svg('text', { class: 'soft', x: 492, y: y + 12 });
    picture.append(done);
    return { fill, lag, done, slo: subscriber.lag };
  });
  parent.append(picture);

  return {
    /**
     * @param {RunState} state
     * @param {{ backlog: number, oldestSeconds: number }[]} present - of each subscriber, in order
     */
    update(state, present) {
      published.textContent = count(state.publisher.published);
      const most = Math.max(1, ...state.subscribers.map((subscriber) => subscriber.peakBacklog));
      for (const [index, row] of rows.entries()) {
        const now = present[index] ?? { backlog: 0, oldestSeconds: 0 };
        row.fill.setAttribute('width', String(Math.round((178 * Math.min(now.backlog, most)) / most)));
        row.fill.classList.toggle('breach', now.oldestSeconds > row.slo);
        row.lag.textContent =
          now.backlog === 0
            ? 'no backlog'
            : `${count(now.backlog)} waiting, oldest ${duration(now.oldestSeconds)}`;
        row.done.textContent = `${count(state.subscribers[index]?.completed ?? 0)} done`;
      }
    },
  };
}

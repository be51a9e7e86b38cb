import { type Milliseconds, milliseconds, type Seconds, seconds } from 'sluice';
import type {
  AlarmState,
  Incident,
  PublisherState,
  ReportView,
  RunFeed,
  RunPhase,
  RunSample,
  RunState,
  RunUpdate,
  SubscriberSample,
  SubscriberState,
} from 'sluice/local';
import { orders as messaging } from '../topology.ts';
import type { CounterBook } from './counters.ts';
import type { ShopProgress } from './shop.ts';
import type { Stage } from './stage.ts';
import { createHistogram, round } from './statistics.ts';

/** What each handler acts on, for the picture. */
const acts: Readonly<Record<string, string>> = {
  payments: 'payment provider',
  inventory: 'table of stock',
  email: 'mail server',
  analytics: 'table of revenue',
  fraud: 'fraud service',
};

/** Watches a run once a second: the feed of the page, the figures of the terminal, the peaks of the report. */
export interface Monitor extends RunFeed {
  /** Names the phase, and tells the page at once. */
  enter(phase: RunPhase, message: string): void;
  /** Begins to look at the running stack. */
  attach(stage: Pick<Stage, 'queue' | 'alarms' | 'onAlarmChange'>): void;
  /** Takes what the shop reports. */
  progress(progress: ShopProgress): void;
  note(kind: Incident['kind'], text: string, subscriber?: string): void;
  /** What keeps a subscriber from its work; `undefined` when nothing does. */
  trouble(subscriber: string, text: string | undefined): void;
  /** Takes one sample; called once a second. */
  sample(): void;
  /** Messages in a subscriber's queue, waiting and in flight; in all queues together when none is named. */
  backlog(subscriber?: string): number;
  /** The average over all samples of what was in a subscriber's queue. */
  averageBacklog(subscriber: string): number;
  finish(report: ReportView): void;
}

interface Watched {
  readonly name: string;
  state: SubscriberState;
  trouble: string | undefined;
  sum: number;
  last: { arrived: number; completed: number; duplicates: number; dead: number };
}

/** Makes a monitor. */
export function createMonitor(options: {
  readonly title: string;
  readonly planned: number;
  readonly refused: number;
  readonly counters: CounterBook;
  readonly now: () => Milliseconds;
}): Monitor {
  const { counters, now } = options;
  const startedAt = now();
  const subscribers: Watched[] = Object.keys(messaging.subscribers).map((name) => ({
    name,
    state: {
      name,
      arrived: 0,
      completed: 0,
      duplicatesSuppressed: 0,
      retried: 0,
      deadLetters: [],
      peakBacklog: 0,
      peakLagSeconds: seconds(0),
    },
    trouble: undefined,
    sum: 0,
    last: { arrived: 0, completed: 0, duplicates: 0, dead: 0 },
  }));
  const alarms = new Map<string, AlarmState>();
  const incidents: Incident[] = [];
  const samples: RunSample[] = [];
  const listeners = new Set<(update: RunUpdate) => void>();
  const moments: { publishingSince?: Milliseconds; publishedAt?: Milliseconds; drainedAt?: Milliseconds } =
    {};
  let phase: RunPhase = 'starting';
  let message = '';
  let stage: Pick<Stage, 'queue'> | undefined;
  let report: ReportView | undefined;
  let published = 0;
  let failed = 0;
  let poisoned = false;
  let publishedBefore = 0;
  const latencies = createHistogram();
  let recent = createHistogram();
  let latency: PublisherState['latencyMs'];

  const held = (name: string) => {
    const queue = stage?.queue(name);
    return queue === undefined ? 0 : queue.waiting + queue.inFlight;
  };
  const tell = (sample?: RunSample) => {
    const update = { state: state(), ...(sample && { sample }) };
    for (const listener of listeners) {
      try {
        listener(update);
      } catch (error) {
        // A page that went away must not end the run.
        listeners.delete(listener);
        note('note', `A listener of the run failed: ${String(error)}`);
      }
    }
  };
  const note: Monitor['note'] = (kind, text, subscriber) => {
    incidents.push({ at: now(), kind, text, ...(subscriber !== undefined && { subscriber }) });
  };
  const state = (): RunState => ({
    title: options.title,
    phase,
    message,
    startedAt,
    at: now(),
    ...moments,
    topology: {
      name: messaging.name,
      topics: Object.values(messaging.topics).map(({ name, fifo }) => ({ name, fifo })),
      subscribers: Object.values(messaging.subscribers).map(
        ({ name, topic, fifo, lag, concurrency, batchSize, attempts }) => ({
          name,
          topic,
          fifo,
          lag,
          concurrency,
          batchSize,
          attempts,
          acts: acts[name] ?? '',
        }),
      ),
    },
    publisher: {
      planned: options.planned,
      published,
      failed,
      refused: options.refused,
      ...(latency && { latencyMs: latency }),
    },
    subscribers: subscribers.map((each) => ({
      ...each.state,
      ...(each.trouble !== undefined && { trouble: each.trouble }),
    })),
    alarms: [...alarms.values()].sort((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name)),
    incidents,
    ...(report && { report }),
  });

  const look = (each: Watched): SubscriberSample => {
    const queue = stage?.queue(each.name);
    const counted = counters.of(each.name);
    const oldest = round((queue?.oldestUndeletedAge ?? 0) / 1000);
    const backlog = queue?.waiting ?? 0;
    const inFlight = queue?.inFlight ?? 0;
    const dead = [...counted.deadLettered].map(([reason, count]) => ({ reason, count }));
    const total = {
      arrived: queue?.sent ?? 0,
      completed: counted.processed,
      duplicates: counted.duplicates,
      dead: dead.reduce((sum, { count }) => sum + count, 0),
    };
    const { last } = each;
    each.last = total;
    each.sum += backlog + inFlight;
    each.state = {
      name: each.name,
      arrived: total.arrived,
      completed: total.completed,
      duplicatesSuppressed: total.duplicates,
      retried: counted.failed,
      deadLetters: dead,
      peakBacklog: Math.max(each.state.peakBacklog, backlog + inFlight),
      peakLagSeconds: seconds(Math.max(each.state.peakLagSeconds, oldest)),
    };
    return {
      backlog,
      inFlight,
      oldestSeconds: oldest as Seconds,
      arrived: total.arrived - last.arrived,
      completed: total.completed - last.completed,
      duplicatesSuppressed: total.duplicates - last.duplicates,
      deadLettered: total.dead - last.dead,
    };
  };

  return {
    state,
    samples: () => samples,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    enter(next, text) {
      phase = next;
      message = text;
      if (next === 'publishing') moments.publishingSince = now();
      if (next === 'draining') moments.publishedAt = now();
      if (next === 'judging') moments.drainedAt = now();
      tell();
    },
    attach(running) {
      stage = running;
      for (const { name, state: initial, changedAt, reason } of running.alarms())
        alarms.set(name, {
          name,
          ...subscriberOf(name),
          state: initial,
          since: changedAt,
          reason,
          changes: [],
        });
      running.onAlarmChange(({ name, from, to, at, reason }) => {
        const changes = [...(alarms.get(name)?.changes ?? []), { at, from, to }];
        alarms.set(name, { name, ...subscriberOf(name), state: to, since: at, reason, changes });
        if (to === 'ALARM' || from === 'ALARM')
          note('alarm', `${name}: ${from} to ${to}`, subscriberOf(name).subscriber);
      });
    },
    progress(news) {
      published = news.published;
      failed = news.failed;
      if (news.poisoned && !poisoned) note('poison', 'a body that is no event was published');
      poisoned = news.poisoned;
      for (const each of news.latencies) {
        latencies.add(each);
        recent.add(each);
      }
    },
    note,
    trouble(subscriber, text) {
      const watched = subscribers.find((each) => each.name === subscriber);
      if (watched !== undefined) watched.trouble = text;
    },
    sample() {
      if (recent.count > 0) latency = latencies.summary();
      const taken: RunSample = {
        at: milliseconds(now()),
        published: published - publishedBefore,
        ...(recent.count > 0 && { publishP99Ms: recent.summary().p99 }),
        subscribers: subscribers.map(look),
      };
      publishedBefore = published;
      recent = createHistogram();
      samples.push(taken);
      tell(taken);
    },
    backlog: (name) =>
      name === undefined ? subscribers.reduce((sum, each) => sum + held(each.name), 0) : held(name),
    averageBacklog(name) {
      const watched = subscribers.find((each) => each.name === name);
      return watched === undefined || samples.length === 0 ? 0 : watched.sum / samples.length;
    },
    finish(final) {
      report = final;
      phase = final.ok ? 'done' : 'failed';
      message = final.verdict;
      tell();
    },
  };
}

/** Those in alarm first. */
const rank = ({ state }: AlarmState): number => (state === 'ALARM' ? 0 : state === 'OK' ? 1 : 2);

/** The stack's alarms carry the name of their subscriber. */
function subscriberOf(alarm: string): { subscriber?: string } {
  const subscriber = Object.keys(messaging.subscribers).find((name) => alarm.includes(`-${name}-`));
  return subscriber === undefined ? {} : { subscriber };
}

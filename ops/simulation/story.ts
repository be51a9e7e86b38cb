import type { Milliseconds } from '../../lib/base/index.ts';
import type { Messaging, Subscriber } from '../../lib/topology/index.ts';
import type { Fault, Harness } from '../../local/index.ts';
import type { Evidence } from './judge/index.ts';
import type { Trouble } from './plan.ts';

interface Line {
  readonly at: number;
  readonly text: string;
}

/** What happened, as lines to read; two plays of one plan tell the same, byte for byte. */
export interface Story {
  begin(start: Milliseconds, messaging: Messaging, troubles: readonly Trouble[]): void;
  tell(at: Milliseconds, text: string): void;
  /** A blow from outside: it counts as something that went wrong. */
  blow(at: Milliseconds, text: string): void;
  /** How much went wrong. */
  accidents(harness: Harness<Messaging>): number;
  end(harness: Harness<Messaging>, evidence: Evidence): string[];
}

/** A story that has not begun. */
export function createStory(): Story {
  let start = 0;
  let blows = 0;
  const opening: string[] = [];
  const lines: Line[] = [];
  return {
    begin(at, messaging, troubles) {
      start = at;
      for (const subscriber of Object.values<Subscriber>(messaging.subscribers))
        opening.push(introduce(subscriber));
      for (const trouble of troubles) opening.push(...announce(trouble));
    },
    tell(at, text) {
      lines.push({ at, text });
    },
    blow(at, text) {
      blows += 1;
      lines.push({ at, text });
    },
    accidents: (harness) => harness.aws.faults.happened.length + harness.mishaps.length + blows,
    end(harness, evidence) {
      for (const { at, service, action, effect } of harness.aws.faults.happened)
        lines.push({ at, text: `${service} ${action} ${describe(effect)}` });
      for (const { at, subscriber, environment, call, effect } of harness.mishaps) {
        const what = effect === 'crash' ? 'dies' : `stands still for ${effect.freeze} s`;
        lines.push({
          at,
          text: `environment ${environment} of ${subscriber} ${what}${call === undefined ? '' : ` ${call}`}`,
        });
      }
      // Stable: what was told at one moment stays in its order.
      const told = [...lines].sort((one, other) => one.at - other.at);
      return [
        ...opening,
        ...told.map(({ at, text }) => `${((at - start) / 1_000).toFixed(3).padStart(10)}  ${text}`),
        ...evidence.subscribers.flatMap(conclude),
      ];
    },
  };
}

function introduce(each: Subscriber): string {
  const kind = each.fifo ? 'FIFO' : 'standard';
  const postures = [
    each.effects,
    each.onDeadLetter === 'halt' ? 'halts on dead letters' : '',
    each.onUnknownOutcome === 'park' ? 'parks unknown outcomes' : '',
    each.sequenceGuard ? 'guards sequences' : '',
  ].filter((text) => text !== '');
  return `${each.name} hears ${each.topic}: ${kind}, ${postures.join(', ')}; batches of ${each.batchSize} (window ${each.batchWindow} s), ${each.concurrency} at once, lease ${each.lease} s, time-out ${each.timeout} s, visibility ${each.visibilityTimeout} s, ${each.attempts} attempts, waits up to ${each.backoff.cap} s`;
}

/** Conditions that hold all the time; what happens at a moment is told when it happens. */
function announce(trouble: Trouble): string[] {
  switch (trouble.kind) {
    case 'skew':
      return [
        `clocks of environments are off by ${trouble.environments.map((each) => `${each} ms`).join(', ')}`,
      ];
    case 'duplicates':
      return [`standard queues deliver ${Math.round(trouble.rate * 100)} % twice`];
    case 'reordering':
      return [`in standard queues up to ${trouble.window} messages overtake another`];
    case 'impatience':
      return ['clients make each call once'];
    case 'late expiry':
      return [`expired items go ${trouble.delay / 3_600_000} hours late`];
    default:
      return [];
  }
}

function describe(effect: Fault['effect']): string {
  if ('delay' in effect) return `is held back for ${effect.delay} ms`;
  return 'lostReply' in effect ? 'is done, and its answer lost' : `is refused: ${effect.error.name}`;
}

/** Errors are told by their first line: stacks name files of this machine. */
const firstLine = (text = ''): string => text.split('\n')[0] as string;

function conclude({
  subscriber,
  happened,
  letters,
  waiting,
  parkedGroups,
}: Evidence['subscribers'][number]): string[] {
  const groups = new Map<string, string[]>();
  for (const { id, group = '' } of happened) groups.set(group, [...(groups.get(group) ?? []), id]);
  return [
    ...[...groups].map(([group, ids]) => `${subscriber} did, in group ${group}: ${ids.join(' ')}`),
    ...letters.map(
      ({ body, attributes }) =>
        `${subscriber} dead-lettered ${body.slice(0, 90)}: ${attributes['sluice-reason'] ?? 'no reason'}, ${firstLine(attributes['sluice-error'])}`,
    ),
    ...(waiting > 0 ? [`${waiting} messages wait for ${subscriber}`] : []),
    ...parkedGroups.map((group) => `group ${group} of ${subscriber} is parked`),
  ];
}

import type { Milliseconds, Seconds } from '../../lib/base/index.ts';
import type { Messaging } from '../../lib/topology/index.ts';
import type { Fault, Mishap } from '../../local/index.ts';
import type { Sent } from './judge/index.ts';
import type { World } from './scenario.ts';

/*
 * A history before it happens, as data: what is published and what goes wrong, an entry each. What is left out of a
 * plan does not happen, and changes nothing else that was drawn: so a plan can be made shorter, and played again.
 */

/** What an event does to its handlers. */
export type Nature =
  | 'plain'
  /** Fails a few times before it goes well; `flakyAfter`: after its effect. */
  | 'flaky'
  | 'flakyAfter'
  /** Takes long, some of it beyond the lease, and heeds its signal. */
  | 'slow'
  /** The same, and does not heed it. */
  | 'deaf'
  /** Commits, does not wait for it, and returns. */
  | 'careless'
  /** Gives up for good when its effect fails, whatever that says about the effect. */
  | 'resigned'
  /** Can never be done: thrown as a permanent error, or at each attempt. */
  | 'permanent'
  | 'hopeless'
  /** Kills its process each time it runs; `killerOnce`: the first time. */
  | 'killer'
  | 'killerOnce';

/** The data of an event of a drawn topology. */
export interface Entry {
  readonly nature: Nature;
  /** Milliseconds that its handlers work on it. */
  readonly length: number;
  /** Tells the payloads under one id apart. */
  readonly version: number;
}

/** One publish. */
export interface Publish {
  /** Milliseconds since the start; later, when the one before it in its line has not been taken yet. */
  readonly at: number;
  /** Publishes of a line are made one after another, each until it is taken. */
  readonly line: string;
  readonly topic: string;
  /** What it is to the story. */
  readonly what: string;
  readonly id: string;
  readonly group: string;
  readonly message:
    | {
        readonly type: string;
        readonly data: unknown;
        readonly sequence?: string;
        /** Over before it is published: it is worth nothing, and nothing comes of it. */
        readonly expired?: true;
      }
    /** A body that is sent as it is. */
    | { readonly body: string };
  /** Milliseconds since the start that its envelope shows as its time: another one is another body. */
  readonly time: number;
  /** What is to become of it; undefined: nothing, and nobody may see it. */
  readonly fate: Pick<Sent, 'fate' | 'reasons'> | undefined;
  /** Where a subscriber has another fate for it. */
  readonly fateFor?: Readonly<Record<string, Pick<Sent, 'fate' | 'reasons'>>>;
  /** Published only once every subscriber has done the event of the same id that came before. */
  readonly whenDone?: true;
}

/** One thing that goes wrong, under the name that `--faults` knows it by. */
export type Trouble = { readonly name: string } & (
  | { readonly kind: 'calls'; readonly fault: Fault; readonly text: string }
  /** Every call of some actions fails for a while. */
  | {
      readonly kind: 'outage';
      readonly faults: readonly Fault[];
      readonly from: Milliseconds;
      readonly to: Milliseconds;
      /** Waits from its beginning on for the first transaction, and begins with that: the worst moment. */
      readonly withCommit?: true;
      readonly text: string;
    }
  | { readonly kind: 'mishap'; readonly mishap: Mishap }
  | {
      readonly kind: 'blow';
      readonly at: Milliseconds;
      readonly subscriber: string;
      readonly blow: 'kill' | 'deploy' | { readonly freeze: Seconds };
    }
  | { readonly kind: 'skew'; readonly environments: readonly Milliseconds[] }
  | { readonly kind: 'duplicates'; readonly rate: number }
  | { readonly kind: 'reordering'; readonly window: number }
  | { readonly kind: 'impatience' }
  | { readonly kind: 'late expiry'; readonly delay: Milliseconds }
);

/** How a subscriber's effects are made. */
export interface Way {
  readonly effect: Sent['effect'];
}

/** A history before it happens. */
export interface Plan {
  readonly seed: number;
  readonly messaging: Messaging;
  readonly ways: Readonly<Record<string, Way>>;
  readonly publishes: readonly Publish[];
  readonly troubles: readonly Trouble[];
  /** How long events arrive and things go wrong; then nothing does any more. */
  readonly span: Milliseconds;
  /** Whether an operator lifts the groups that wait behind a dead letter, in the end. */
  readonly lifts: boolean;
  /** Made anew for each play. */
  readonly world: () => World;
}

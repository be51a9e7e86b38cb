import { App, Stack } from 'aws-cdk-lib';
import { DeclarationError, defineMessaging, event } from 'sluice';
import { MessagingStack, type RuleId, Sluice } from 'sluice/cdk';
import * as v from 'valibot';
import { handlers, shop } from '../../constructs/fixtures/shop.ts';

/** What breaks one rule, and its mended twin, for each that the rule judges. */
export interface Specimen {
  /** Made with plain constructs. */
  readonly byHand?: { wrong(stack: Stack): void; mended(stack: Stack): void };
  /** Done to a sound stack of this package by an escape hatch; left as it was made, it is sound. */
  readonly hatched?: (stack: MessagingStack<typeof shop>) => void;
  /** Said in a declaration. */
  readonly declared?: { readonly wrong: Declared; readonly mended: Declared };
}

type Record_ = Readonly<Record<string, unknown>>;

/** Parts of a declaration as JavaScript might write them. `subscriber` is one of the standard topic, `fifo` one of the other. */
export interface Declared {
  readonly name?: string;
  readonly topics?: Record_;
  readonly events?: Record_;
  readonly subscribers?: Record_;
  readonly subscriber?: Record_;
  readonly fifo?: Record_;
}

export const schema = v.object({ id: v.string() });

/** The ids of the rules that a declaration breaks. */
export function declare({ subscriber, fifo, ...parts }: Declared): readonly RuleId[] {
  try {
    defineMessaging({
      name: 'shop',
      topics: { orders: { fifo: true }, news: {} },
      events: {
        placed: event({ topic: 'orders', schema }),
        told: event({ topic: 'news', schema }),
        asked: event({ topic: 'news', schema }),
      },
      subscribers: {
        ...(subscriber === undefined
          ? {}
          : { it: { on: ['told'], handler: 'it.ts', lag: 60, ...subscriber } }),
        ...(fifo === undefined
          ? {}
          : { it: { on: ['placed'], fifo: true, handler: 'it.ts', lag: 60, ...fifo } }),
      },
      ...parts,
    } as Parameters<typeof defineMessaging>[0]);
    return [];
  } catch (error) {
    if (!(error instanceof DeclarationError)) throw error;
    return error.faults.map(({ rule }) => rule);
  }
}

/** What a synthesis said: the ids of rules in its error, and in its warnings. */
export interface Said {
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
  readonly message: string;
}

/** Synthesizes an app, and reads what the check said of it. */
export function synthesize(app: App): Said {
  const ids = (text: string) => [...text.matchAll(/docs\/rules\.md#([a-z-]+)/g)].map(([, id = '']) => id);
  try {
    const messages = app.synth().stacks.flatMap((stack) => stack.messages);
    const warnings = messages.flatMap(({ entry }) => ids(String(entry.data)));
    return { errors: [], warnings, message: '' };
  } catch (error) {
    const { message } = error as Error;
    const found = ids(message);
    // What is no fault of a rule is a fault of the specimen.
    if (found.length === 0) throw error;
    return { errors: found, warnings: [], message };
  }
}

/** A stack by hand, checked. */
export function judgeByHand(fill: (stack: Stack) => void): Said {
  const app = new App({ analyticsReporting: false });
  fill(new Stack(app, 'Wrong'));
  Sluice.check(app);
  return synthesize(app);
}

/** A stack of this package, with what somebody did to it. */
export function judgeHatched(change: (stack: MessagingStack<typeof shop>) => void): Said {
  const app = new App({ analyticsReporting: false, context: { 'aws:cdk:bundling-stacks': [] } });
  const stack = new MessagingStack(app, 'Shop', { messaging: shop, handlers, alarms: 'none' });
  change(stack);
  return synthesize(app);
}

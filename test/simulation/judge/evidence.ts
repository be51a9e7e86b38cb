import type { Letter, Sent, SubscriberEvidence } from '../../../ops/simulation/judge/index.ts';

/** A message that a FIFO topic took, with a transactional effect; what is given decides the rest. */
export const message = (id: string, group: string, more: Partial<Sent> = {}): Sent => ({
  id,
  source: 'shop',
  group,
  body: JSON.stringify({ id, source: 'shop', data: { group } }),
  attributes: { type: 'placed' },
  fate: 'effect',
  effect: 'transaction',
  ...more,
});

/** The dead letter that a message has to have. */
export const letterOf = (sent: Sent, reason = 'permanent', more: Partial<Letter> = {}): Letter => ({
  body: sent.body,
  ...(sent.group === undefined ? {} : { group: sent.group }),
  attributes: {
    ...sent.attributes,
    'sluice-reason': reason,
    'sluice-attempts': '1',
    'sluice-error': 'Error: no',
    'sluice-failed-at': '2026-01-01T00:00:00.000Z',
    'sluice-failure': JSON.stringify({ firstFailedAt: '2026-01-01T00:00:00.000Z', subscriber: 'stock' }),
  },
  ...more,
});

/** A subscriber of a FIFO queue that has come to rest. */
export const subscriber = (more: Partial<SubscriberEvidence> = {}): SubscriberEvidence => ({
  subscriber: 'stock',
  fifo: true,
  effects: 'exactlyOnceEffect',
  onDeadLetter: 'skip',
  onUnknownOutcome: 'retry',
  sent: [],
  happened: [],
  letters: [],
  waiting: 0,
  waitingGroups: [],
  parkedGroups: [],
  ...more,
});

/** Effects of ids, one after another. */
export const effects = (...ids: string[]) => ids.map((id, at) => ({ id, at }));

import { seconds } from '../../lib/base/index.ts';
import type { Subscriber } from '../../lib/topology/index.ts';
import { type Played, type PlayOptions, play } from '../../ops/simulation/index.ts';
import { buildPowertools } from './powertools.ts';
import { buildPutIfAbsent } from './put-if-absent.ts';
import { buildSqsConsumer } from './sqs-consumer.ts';
import { onVirtualClock, withVirtualClock } from './virtual.ts';

/** Names of what is played, as commands take them. */
export const peerNames = [
  'sluice',
  'powertools',
  'powertools-groups',
  'sqs-consumer',
  'put-if-absent',
  'put-if-absent-undo',
] as const;

/** The name of a peer. */
export type PeerName = (typeof peerNames)[number];

/** Whether a text names a peer. */
export const isPeer = (name: string | undefined): name is PeerName => peerNames.some((each) => each === name);

/**
 * The declaration as a library needs it that leaves dead letters to the queue, and knows no posture. Receives are all
 * that the queue counts, and many are none of the handler's tries: it grants twice the attempts, ten at least
 * (Lambda developer guide, "Using Lambda with Amazon SQS": at least five).
 */
const asPeersNeedIt = (drawn: Subscriber): Subscriber => ({
  ...drawn,
  maxReceiveCount: Math.max(10, 2 * drawn.attempts),
  effects: drawn.effects === 'atMostOnce' ? 'exactlyOnceEffect' : drawn.effects,
  onDeadLetter: 'skip',
  onUnknownOutcome: 'retry',
  sequenceGuard: false,
});

/** The visibility that the same page recommends: six times the function's timeout, plus the window. */
const onLambda = (drawn: Subscriber): Subscriber => ({
  ...asPeersNeedIt(drawn),
  visibilityTimeout: seconds(6 * drawn.timeout + drawn.batchWindow),
});

/** It receives ten messages at most, and extends their visibility itself. */
const inItsOwnProcess = (drawn: Subscriber): Subscriber => ({
  ...asPeersNeedIt(drawn),
  batchSize: Math.min(10, drawn.batchSize),
});

/** Retries come with the visibility, one after another in a group: that they take long is no fault. */
const rest = seconds(24 * 3_600);

/** Where the runtime claims by a batch of statements, they all put an item under a condition. */
const calls = { BatchExecuteStatement: 'PutItem' };

const peer = (
  build: NonNullable<PlayOptions['build']>,
  declare: PlayOptions['declare'] = onLambda,
): PlayOptions => ({ build: onVirtualClock(build), declare, calls, rest });

/** How each is played. */
export const setUps: Readonly<Record<PeerName, PlayOptions>> = {
  sluice: {},
  powertools: peer(buildPowertools({ skipGroupOnError: false })),
  'powertools-groups': peer(buildPowertools({ skipGroupOnError: true })),
  'sqs-consumer': peer(buildSqsConsumer, inItsOwnProcess),
  'put-if-absent': peer(buildPutIfAbsent('stays')),
  'put-if-absent-undo': peer(buildPutIfAbsent('is deleted')),
};

/** Plays the history of a seed with a peer in the place of the runtime. */
export const playPeer = (
  seed: number,
  name: PeerName,
  options: Pick<PlayOptions, 'faults'> = {},
): Promise<Played> => withVirtualClock(() => play(seed, { ...options, ...setUps[name] }));

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { PeerName } from './peers.ts';

/** What a reader has to know of a peer to judge its figures. */
export interface About {
  readonly title: string;
  /** Packages whose versions are shown. */
  readonly packages: readonly string[];
  readonly setUp: readonly string[];
  /** What it does not claim to do. */
  readonly notClaimed: readonly string[];
}

const onLambda =
  'Visibility six times the function’s timeout plus the window, as the Lambda developer guide recommends ("Using Lambda with Amazon SQS").';

const powertoolsClaims = [
  'That an effect happens once, where the function ends between the effect and the record: the record says "in progress" until the ' +
    'invocation’s time would have been over, and then the message is handled again ("Idempotency", section "Lambda timeouts").',
  'That a handler which failed after its effect is not run again: its record is deleted (section "Handling exceptions").',
  'Dead letters: they are the queue’s own.',
];

const powertoolsSetUp = [
  'Page "Idempotency", section "Batch integration": `makeIdempotent` around the handler of one record, `processPartialResponse` around both, ' +
    '`registerLambdaContext` at each invocation.',
  "Key: the event's source and id, `eventKeyJmesPath: 'powertools_json(body).[source, id]'`, not the queue's message id, which a second publish " +
    'does not share. `throwOnNoIdempotencyKey`, and `payloadValidationJmesPath` on the data, as the sections of these names have it.',
  'Records live as long as the queue keeps a message; the default of one hour would be shorter.',
  'Standard queues: `BatchProcessor`, all records of a batch at once, its default.',
];

/** By the name that commands take. */
export const about: Readonly<Record<Exclude<PeerName, 'sluice'>, About>> = {
  powertools: {
    title: 'Powertools for AWS Lambda, batch and idempotency',
    packages: ['@aws-lambda-powertools/batch', '@aws-lambda-powertools/idempotency'],
    setUp: [
      ...powertoolsSetUp,
      'FIFO queues: `SqsFifoPartialProcessorAsync`, which stops at the first failure and returns the rest of the batch (page "Batch Processing", section "FIFO queues").',
      onLambda,
    ],
    notClaimed: powertoolsClaims,
  },
  'powertools-groups': {
    title: 'The same with `skipGroupOnError`',
    packages: ['@aws-lambda-powertools/batch', '@aws-lambda-powertools/idempotency'],
    setUp: [
      'As above, but for FIFO queues with `skipGroupOnError`: a failure returns the later messages of its own group, and other groups go on. ' +
        'Only batches with several groups are treated otherwise, and those are rare in these histories, where messages come one by one.',
      onLambda,
    ],
    notClaimed: powertoolsClaims,
  },
  'sqs-consumer': {
    title: 'sqs-consumer with a conditional-write table',
    packages: ['sqs-consumer'],
    setUp: [
      'It polls in a process of its own. **Its long poll is not played:** the event source of the model answers its ReceiveMessage, so that its process can be ' +
        'killed, frozen and replaced as the others are. Handlers, heartbeats and deletes are its own code and its own calls, its timers run on the virtual clock. ' +
        'Its process ends at the function’s timeout, which a container has not: a consumer that is frozen past its visibility, and goes on, is seen less often than it would be.',
      'Standard queues: `handleMessage`, up to ten messages at once. FIFO queues: `handleMessageBatch`, one message after another, a failed group left for later, ' +
        'as its README asks for ("FIFO Queue Support"). Heartbeats every ten seconds; listeners for `error` and `processing_error`, as its README shows.',
      'The table is its user’s: an item is put under the event’s source and id unless it is there, then the handler runs, then the message is deleted; when the handler fails the ' +
        'item is deleted, so that another try can be made.',
    ],
    notClaimed: [
      'Idempotency: the README leaves it to the user, and so do we. What is lost here is lost by the table: the item of a process that died stays, ' +
        'and the message that comes back passes for a duplicate.',
      'FIFO order: the README says that it is not tested.',
      'Dead letters: they are the queue’s own.',
    ],
  },
  'put-if-absent': {
    title: 'A plain function with put-if-absent',
    packages: [],
    setUp: [
      'The ten lines that many articles show: put an item under the event’s source and id unless it is there; if it is there, the message is a duplicate; else do the work. ' +
        'A partial batch response, on FIFO queues everything behind the first failure (Lambda developer guide, "Handling errors for an SQS event source").',
      'The item stays when the work fails.',
      onLambda,
    ],
    notClaimed: [
      'Anything: it is a pattern and no library. It does the work once at most, which for many is what they wanted to avoid.',
    ],
  },
  'put-if-absent-undo': {
    title: 'The same, taken back when the work fails',
    packages: [],
    setUp: [
      'As above, but the item is deleted when the work fails, so that another try can be made.',
      onLambda,
    ],
    notClaimed: ['Anything: it is a pattern and no library. A process that dies takes nothing back.'],
  },
};

/** The version of a package that is installed. */
export function versionOf(name: string): string {
  const file = fileURLToPath(new URL(`../../node_modules/${name}/package.json`, import.meta.url));
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }).version;
}

import type { MessageAttributeValue } from '@aws-sdk/client-sqs';
import type { KeyGuard } from '../kms/index.ts';
import { evaluatePolicy, type Policy } from '../policy.ts';
import type { ModelContext, Principal, Service } from '../service.ts';
import { createBodyInspector } from './digest.ts';
import { accessDenied, queueDoesNotExist } from './errors.ts';
import { registerGauges } from './gauges.ts';
import { createMessageOperations } from './messages.ts';
import { createMoveOperations } from './moves.ts';
import { createPolls } from './poll.ts';
import { catchUp, type Queue } from './queue.ts';
import { createQueueOperations } from './queues.ts';
import { QUOTAS } from './quotas.ts';
import { createReceiveOperation } from './receive-operation.ts';
import { accept } from './send.ts';
import { createAttributeInspector } from './user-attributes.ts';
import { type MessageView, messagesOf, type QueueView, viewOf } from './view.ts';
import { useKey, type World } from './world.ts';

/** How a model of SQS may misbehave within what SQS promises, and smaller quotas for tests. */
export interface SqsOptions {
  /**
   * The share of receives of standard queues, 0 to 1, after which the message is delivered once more: beside the
   * first delivery, or after its delete.
   *
   * @default 0
   */
  readonly duplicateRate?: number;
  /**
   * How many later messages may overtake one of a standard queue.
   *
   * @default 0
   */
  readonly reorderWindow?: number;
  /**
   * How many messages of a queue may be in flight (SQS developer guide, quotas).
   *
   * @default 120,000
   */
  readonly inFlightQuota?: number;
  /**
   * How many messages, from the oldest, a FIFO queue searches for a free group (SQS developer guide, FIFO quotas).
   *
   * @default 120,000
   */
  readonly fifoSearchDepth?: number;
  /**
   * Asked before a queue's key (KmsMasterKeyId) is used.
   *
   * @default - none: the attribute is kept, and has no effect
   */
  readonly keys?: KeyGuard;
}

/** A message that another service delivers. */
export interface DeliveredMessage {
  readonly body: string;
  /** Looked at once for as long as it is the same object: hand in another one instead of changing it. */
  readonly attributes?: Record<string, MessageAttributeValue>;
  readonly groupId?: string;
  /** Left out on the way to a standard queue. */
  readonly deduplicationId?: string;
  /** Becomes the AWSTraceHeader. */
  readonly traceHeader?: string;
}

/** The model of SQS; made by {@link createSqs}. */
export interface SqsModel extends Service {
  readonly id: 'sqs';
  /**
   * Delivers a message for a service, under the queue's policy.
   *
   * @throws ServiceError QueueDoesNotExist; AccessDenied when the policy does not let this principal send for
   * its source; KmsAccessDenied and the like when it may not use the queue's key; what SendMessage says to a message that is too large or lacks its group
   */
  deliver(
    queueArn: string,
    message: DeliveredMessage,
    principal: Principal,
  ): { messageId: string; sequenceNumber?: string };
  /** The policy of a queue, when there is such a queue and it has one. */
  policy(arn: string): Policy | undefined;
  /** A look at one queue. */
  queue(arn: string): QueueView | undefined;
  /** What lies in a queue, oldest first; it stays there, unreceived. Empty when there is no such queue. */
  messages(arn: string): readonly MessageView[];
  /** A look at every queue, in the order in which they were made. */
  queues(): readonly QueueView[];
}

// SenderId of messages that SNS delivers: the id of AWS's own sender, as it is seen in every region.
const SNS_SENDER = 'AIDAIT2UOQQY3AUEKVGXU';

/**
 * A model of SQS: standard and FIFO queues with the behaviour that AWS documents and that was recorded on AWS.
 * Nothing happens by itself: a queue catches up with the clock whenever somebody acts on it or looks at it, and
 * sets timers only while a long poll waits or a move task runs.
 *
 * @example
 * ```ts
 * const sqs = createSqs({ clock: createVirtualClock(), random: seededRandom(1), account, region, endpoint, metrics });
 * const { QueueUrl } = await sqs.operations.CreateQueue({ QueueName: 'payments' }, {});
 * ```
 */
export function createSqs(context: ModelContext, options: SqsOptions = {}): SqsModel & SqsOperations {
  const queues = new Map<string, Queue>();
  const byArn = new Map<string, Queue>();
  const endGauges = new Map<Queue, () => void>();
  const world: World = {
    ...context,
    duplicateRate: options.duplicateRate ?? 0,
    reorderWindow: options.reorderWindow ?? 0,
    quotas: {
      inFlight: options.inFlightQuota ?? QUOTAS.inFlight,
      fifoSearch: options.fifoSearchDepth ?? QUOTAS.fifoSearch,
    },
    queues,
    deletedNames: new Map(),
    queueByArn: (arn) => byArn.get(arn),
    inspectBody: createBodyInspector(),
    keys: options.keys,
    get polls() {
      return polls;
    },
  };
  const polls = createPolls(world);
  const inspectDelivered = createAttributeInspector();

  const onCreate = (queue: Queue) => {
    byArn.set(queue.arn, queue);
    endGauges.set(queue, registerGauges(context.metrics, queue, context.clock.now));
  };
  const onDelete = (queue: Queue) => {
    byArn.delete(queue.arn);
    endGauges.get(queue)?.();
    endGauges.delete(queue);
  };

  return {
    id: 'sqs',
    operations: {
      ...createQueueOperations(world, onCreate, onDelete),
      ...createMessageOperations(world),
      ...createReceiveOperation(world),
      ...createMoveOperations(world),
    },
    deliver(queueArn, message, principal) {
      const queue = byArn.get(queueArn);
      if (queue === undefined) throw queueDoesNotExist();
      const verdict = evaluatePolicy(queue.settings.policy, {
        principal,
        action: 'sqs:SendMessage',
        resource: queueArn,
      });
      // The account's own administrator needs no policy, but a denial holds for everybody.
      const administrator = principal.service === undefined && principal.role === undefined;
      if (verdict === 'deny' || (verdict === 'none' && !administrator)) throw accessDenied(queue.url);
      useKey(world, queue, principal, 'encrypt');
      catchUp(queue, context.clock.now());
      const accepted = accept(
        world,
        queue,
        {
          MessageBody: message.body,
          MessageAttributes: message.attributes,
          MessageGroupId: message.groupId,
          MessageDeduplicationId: queue.fifo ? message.deduplicationId : undefined,
          MessageSystemAttributes:
            message.traceHeader === undefined
              ? undefined
              : { AWSTraceHeader: { DataType: 'String', StringValue: message.traceHeader } },
        },
        principal.service === 'sns.amazonaws.com' ? SNS_SENDER : context.account,
        { inspect: inspectDelivered },
      );
      polls.serve(queue);
      return {
        messageId: accepted.messageId,
        ...(accepted.sequenceNumber !== undefined && { sequenceNumber: accepted.sequenceNumber }),
      };
    },
    policy: (arn) => byArn.get(arn)?.settings.policy,
    queue(arn) {
      const queue = byArn.get(arn);
      return queue === undefined ? undefined : viewOf(world, queue);
    },
    messages(arn) {
      const queue = byArn.get(arn);
      return queue === undefined ? [] : messagesOf(world, queue);
    },
    queues: () => [...queues.values()].map((queue) => viewOf(world, queue)),
  };
}

/** The actions of {@link createSqs} with their own types, for callers in the same process. */
export interface SqsOperations {
  readonly operations: ReturnType<typeof createQueueOperations> &
    ReturnType<typeof createMessageOperations> &
    ReturnType<typeof createReceiveOperation> &
    ReturnType<typeof createMoveOperations>;
}

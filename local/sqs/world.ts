import type { KeyGuard, Purpose } from '../kms/index.ts';
import type { ModelContext, Principal } from '../service.ts';
import type { BodyFacts } from './digest.ts';
import { missingParameter, queueDoesNotExist } from './errors.ts';
import type { Polls } from './poll.ts';
import { catchUp, type Queue } from './queue.ts';

/** What all actions share: the model's context, its options, and the queues there are. */
export interface World extends ModelContext {
  readonly duplicateRate: number;
  readonly reorderWindow: number;
  readonly quotas: { readonly inFlight: number; readonly fifoSearch: number };
  /** By name. */
  readonly queues: Map<string, Queue>;
  /** Names of deleted queues, with the moment of the deletion. */
  readonly deletedNames: Map<string, number>;
  readonly queueByArn: (arn: string) => Queue | undefined;
  readonly inspectBody: (body: string) => BodyFacts;
  readonly polls: Polls;
  readonly keys: KeyGuard | undefined;
}

/**
 * Demands that somebody may use the queue's key, where it has one.
 *
 * @throws ServiceError KmsAccessDenied, KmsDisabled, KmsInvalidState, KmsNotFound
 */
export function useKey(world: World, queue: Queue, principal: Principal | undefined, purpose: Purpose): void {
  const { keyId } = queue.settings;
  if (keyId !== undefined) world.keys?.use(keyId, principal, purpose, 'sqs', queue.encryptionContext);
}

/**
 * The queue that a request names, brought up to the present. SQS takes the queue's bare name for its URL too.
 *
 * @throws ServiceError QueueDoesNotExist
 */
export function queueOf(world: World, url: string | undefined): Queue {
  if (url === undefined || url === '') throw missingParameter('QueueUrl');
  const slash = url.lastIndexOf('/');
  const queue = world.queues.get(slash < 0 ? url : url.slice(slash + 1));
  if (queue === undefined) throw queueDoesNotExist();
  if (slash >= 0 && url.slice(url.lastIndexOf('/', slash - 1) + 1, slash) !== world.account) {
    throw queueDoesNotExist();
  }
  catchUp(queue, world.clock.now());
  return queue;
}

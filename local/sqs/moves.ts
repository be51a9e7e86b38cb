import type {
  CancelMessageMoveTaskCommandInput,
  ListMessageMoveTasksCommandInput,
  ListMessageMoveTasksResultEntry,
  StartMessageMoveTaskCommandInput,
} from '@aws-sdk/client-sqs';
import { milliseconds, type Timer, uuid } from '../../lib/base/index.ts';
import { type Call, type Principal, ServiceError } from '../service.ts';
import { invalidParameter, invalidValue, missingParameter, resourceNotFound } from './errors.ts';
import { messageId } from './identifiers.ts';
import type { StoredMessage } from './message.ts';
import { catchUp, enter, leave, type Queue } from './queue.ts';
import { QUOTAS } from './quotas.ts';
import { useKey, type World } from './world.ts';

interface MoveTask {
  readonly id: string;
  readonly sourceArn: string;
  readonly destinationArn: string | undefined;
  /** Who started it: the messages are moved in his name. */
  readonly principal: Principal | undefined;
  readonly rate: number | undefined;
  readonly startedAt: number;
  readonly total: number;
  status: 'RUNNING' | 'COMPLETED' | 'CANCELLED' | 'FAILED';
  moved: number;
  failure: string | undefined;
  timer: Timer | undefined;
}

/** The least time between two steps of a task, milliseconds: at 500 messages a second, 50 a step. */
const STEP = 100;

/** The actions that move dead letters back. A task moves what is visible and ends when nothing is. */
export function createMoveOperations(world: World) {
  // By the ARN of the source, newest first.
  const tasksOf = new Map<string, MoveTask[]>();

  const fail = (task: MoveTask, reason: string) => {
    task.status = 'FAILED';
    task.failure = reason;
  };

  const step = (task: MoveTask, limit: number, pause: number) => {
    const source = world.queueByArn(task.sourceArn);
    if (source === undefined) return fail(task, 'AWS.SimpleQueueService.NonExistentQueue');
    const now = world.clock.now();
    catchUp(source, now);
    const touched = new Set<Queue>();
    for (const message of source.shelf.take(limit, () => true)) {
      const target = task.status === 'RUNNING' ? targetOf(task, message) : undefined;
      if (target === undefined) {
        source.shelf.shown(message);
        continue;
      }
      // The shelf has let go of it; it has to be on it once more to leave it.
      source.shelf.shown(message);
      leave(source, message);
      source.totals.movedOut++;
      enter(target, message.content, {
        id: messageId(world.random),
        now,
        sentAt: now,
        visibleAt: now + target.settings.delay,
      });
      target.totals.movedIn++;
      task.moved++;
      touched.add(target);
    }
    source.shelf.settle();
    for (const target of touched) world.polls.serve(target);
    if (task.status !== 'RUNNING') return;
    if (source.visible === 0) task.status = 'COMPLETED';
    else task.timer = world.clock.after(milliseconds(pause), () => step(task, limit, pause));
  };

  // A message goes to the destination, or back to where it came from; one that came from nowhere stops the task.
  const targetOf = (task: MoveTask, message: StoredMessage): Queue | undefined => {
    const arn = task.destinationArn ?? message.deadLetterSource;
    if (arn === undefined) {
      fail(task, 'CouldNotDetermineMessageSource');
      return undefined;
    }
    const target = world.queueByArn(arn);
    if (target === undefined) {
      fail(task, 'AWS.SimpleQueueService.NonExistentQueue');
      return undefined;
    }
    try {
      useKey(world, target, task.principal, 'encrypt');
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      fail(task, error.queryCode ?? error.name);
      return undefined;
    }
    catchUp(target, world.clock.now());
    return target;
  };

  return {
    StartMessageMoveTask(input: StartMessageMoveTaskCommandInput, { principal }: Call = {}) {
      const source = sourceOf(world, input.SourceArn);
      const rate = input.MaxNumberOfMessagesPerSecond;
      if (rate !== undefined && (!Number.isInteger(rate) || rate < 1 || rate > QUOTAS.moveRate)) {
        throw invalidValue(
          rate,
          'MaxNumberOfMessagesPerSecond',
          `Must be an integer between 1 and ${QUOTAS.moveRate}, if provided.`,
        );
      }
      if (![...world.queues.values()].some(({ settings }) => settings.redrive?.targetArn === source.arn)) {
        throw invalidParameter('Source queue must be configured as a Dead Letter Queue.');
      }
      if (input.DestinationArn !== undefined) {
        const destination = world.queueByArn(input.DestinationArn);
        if (destination === undefined) {
          throw resourceNotFound(
            "The resource that you specified for the DestinationArn parameter doesn't exist.",
          );
        }
        if (destination.fifo !== source.fifo) {
          throw invalidParameter('Source queue and destination queue must be of the same type.');
        }
        if (destination === source) {
          throw invalidParameter('Source queue and destination queue must not be the same.');
        }
        useKey(world, destination, principal, 'encrypt');
      }
      useKey(world, source, principal, 'decrypt');
      const known = tasksOf.get(source.arn) ?? [];
      if (known.some(({ status }) => status === 'RUNNING')) {
        throw invalidParameter(
          'There is already a task running. Only one active task is allowed for a source queue arn at a given time.',
        );
      }
      const now = world.clock.now();
      catchUp(source, now);
      const task: MoveTask = {
        id: uuid(world.random),
        sourceArn: source.arn,
        destinationArn: input.DestinationArn,
        principal,
        rate,
        startedAt: now,
        total: source.visible + source.inFlight + source.delayed,
        status: 'RUNNING',
        moved: 0,
        failure: undefined,
        timer: undefined,
      };
      tasksOf.set(source.arn, [task, ...known].slice(0, 10));
      const perSecond = rate ?? QUOTAS.moveRate;
      const limit = Math.max(1, Math.floor((perSecond * STEP) / 1000));
      const pause = (limit * 1000) / perSecond;
      task.timer = world.clock.after(milliseconds(0), () => step(task, limit, pause));
      return { TaskHandle: handleOf(task) };
    },

    CancelMessageMoveTask(input: CancelMessageMoveTaskCommandInput) {
      const { taskId, sourceArn } = readHandle(input.TaskHandle);
      if (world.queueByArn(sourceArn) === undefined) {
        throw resourceNotFound("The resource that you specified for the SourceArn parameter doesn't exist.");
      }
      const task = tasksOf.get(sourceArn)?.find(({ id }) => id === taskId);
      if (task === undefined) throw resourceNotFound('Task does not exist.');
      if (task.status !== 'RUNNING') {
        throw invalidParameter('Only active tasks can be cancelled.');
      }
      task.timer?.cancel();
      task.status = 'CANCELLED';
      return { ApproximateNumberOfMessagesMoved: task.moved };
    },

    ListMessageMoveTasks(input: ListMessageMoveTasksCommandInput) {
      const source = sourceOf(world, input.SourceArn);
      const maximum = input.MaxResults ?? 1;
      if (!Number.isInteger(maximum) || maximum < 1 || maximum > 10) {
        throw invalidValue(maximum, 'MaxResults', 'Must be an integer between 1 and 10, if provided.');
      }
      return { Results: (tasksOf.get(source.arn) ?? []).slice(0, maximum).map(describeTask) };
    },
  };
}

function sourceOf(world: World, arn: string | undefined): Queue {
  if (arn === undefined || arn === '') throw missingParameter('SourceArn');
  if (!/^arn:[^:]+:sqs:[^:]+:\d{12}:.+$/.test(arn)) {
    throw invalidParameter(
      'You must use this format to specify the SourceArn: arn:<partition>:<service>:<region>:<account-id>:<resource-id>',
    );
  }
  const queue = world.queueByArn(arn);
  if (queue === undefined) {
    throw resourceNotFound("The resource that you specified for the SourceArn parameter doesn't exist.");
  }
  return queue;
}

const handleOf = (task: MoveTask): string =>
  Buffer.from(JSON.stringify({ taskId: task.id, sourceArn: task.sourceArn })).toString('base64');

function readHandle(handle: string | undefined): { taskId: string; sourceArn: string } {
  if (handle === undefined || handle === '') throw missingParameter('TaskHandle');
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(handle, 'base64').toString());
  } catch (cause) {
    const error = invalidParameter('Value for parameter TaskHandle is invalid.');
    error.cause = cause;
    throw error;
  }
  if (
    typeof value === 'object' &&
    value !== null &&
    'taskId' in value &&
    'sourceArn' in value &&
    typeof value.taskId === 'string' &&
    typeof value.sourceArn === 'string'
  ) {
    return { taskId: value.taskId, sourceArn: value.sourceArn };
  }
  throw invalidParameter('Value for parameter TaskHandle is invalid.');
}

// Only a running task shows its handle (recorded on AWS).
function describeTask(task: MoveTask): ListMessageMoveTasksResultEntry {
  return {
    ...(task.status === 'RUNNING' && { TaskHandle: handleOf(task) }),
    Status: task.status,
    SourceArn: task.sourceArn,
    ...(task.destinationArn !== undefined && { DestinationArn: task.destinationArn }),
    ...(task.rate !== undefined && { MaxNumberOfMessagesPerSecond: task.rate }),
    ApproximateNumberOfMessagesMoved: task.moved,
    ApproximateNumberOfMessagesToMove: task.total,
    ...(task.failure !== undefined && { FailureReason: task.failure }),
    StartedTimestamp: task.startedAt,
  };
}

import {
  CancelMessageMoveTaskCommand,
  ListMessageMoveTasksCommand,
  type ListMessageMoveTasksResultEntry,
  StartMessageMoveTaskCommand,
  type StartMessageMoveTaskCommandInput,
} from '@aws-sdk/client-sqs';
import type { World } from '../../world.ts';
import { type QueueAttributes, type Sqs, sqsOf } from './sqs.ts';

/** Short words for what the cases of move tasks do. */
export function movesOf({ sqs, eventually }: World) {
  const start = async (SourceArn: string, more: Partial<StartMessageMoveTaskCommandInput> = {}) =>
    (await sqs.send(new StartMessageMoveTaskCommand({ SourceArn, ...more }))).TaskHandle ?? '';
  const list = async (SourceArn: string, MaxResults = 10) =>
    (await sqs.send(new ListMessageMoveTasksCommand({ SourceArn, MaxResults }))).Results ?? [];
  const cancel = (TaskHandle: string) => sqs.send(new CancelMessageMoveTaskCommand({ TaskHandle }));
  /** The newest task, once it is over. */
  const ended = (sourceArn: string): Promise<ListMessageMoveTasksResultEntry> =>
    eventually('the move task to end', 10, async () => {
      const [task] = await list(sourceArn);
      return task === undefined || /^(RUNNING|CANCELLING)$/.test(task.Status ?? '') ? undefined : task;
    });
  return { start, list, cancel, ended };
}

/** A queue whose messages have all become dead letters, and the queue where those are. */
export async function deadLetters(
  world: World,
  bodies: readonly string[],
  attributes: QueueAttributes = {},
): Promise<Sqs & { url: string; dead: string; deadArn: string }> {
  const sqs = sqsOf(world);
  const places = await sqs.pair(1, attributes);
  await bury(world, places.url, bodies);
  return { ...sqs, ...places };
}

/** Sends messages to a queue with a limit of one receive, and receives until they are dead letters. */
export async function bury(world: World, url: string, bodies: readonly string[]): Promise<void> {
  const { send, sendTo, receive } = sqsOf(world);
  for (const body of bodies) await (url.endsWith('.fifo') ? sendTo(url, 'g', body) : send(url, body));
  const now = { VisibilityTimeout: 0, WaitTimeSeconds: 0 };
  // On AWS a receive may find some of them only: until two in a row find none.
  for (let empty = 0; empty < 2; ) empty = (await receive(url, now)).length === 0 ? empty + 1 : 0;
}

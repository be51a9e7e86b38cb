import { minutes, seconds } from 'sluice';
import { publisher } from 'sluice/lambda';
import { describe, expect, it } from 'vitest';
import { createWorld, message } from '../runtime/support/world.ts';
import { crashing, jobs } from './support/crashes.ts';

describe('24: a redrive changes the message id: the producer’s id still names the event', () => {
  it('a message with another id is the event that it carries', async () => {
    const world = createWorld();
    let runs = 0;
    const worker = world.worker(() => void runs++);
    await worker.run([message('1', { messageId: 'before' })]);

    expect(await worker.run([message('1', { messageId: 'after' })])).toEqual([]);
    expect(runs).toBe(1);
  });

  it('a move task of SQS brings back what was done before: another message, the same event, no second run', async () => {
    const runs: string[] = [];
    const harness = await crashing('short', async (orderId, { attempt }) => {
      runs.push(`${orderId} ${attempt}`);
      if (orderId === 'fails' && runs.filter((run) => run.startsWith('fails')).length <= 5)
        throw new Error('down');
    });
    const till = publisher(jobs, harness.tools);
    await till.publish('order.placed', { orderId: 'fails' });
    await harness.drain(minutes(60));
    expect(await harness.deadLetters('short')).toHaveLength(1);
    const before = await harness.deadLetters('short');

    // A copy of the letter stays behind, as after a crash between send and delete: both are moved.
    const places = harness.deployed.subscribers.short!;
    await harness.aws.sqs.operations.SendMessage!(
      { QueueUrl: places.deadLetterQueue.url, MessageBody: before[0]!.body },
      {},
    );
    await harness.aws.sqs.operations.StartMessageMoveTask!(
      { SourceArn: places.deadLetterQueue.arn, DestinationArn: places.queue.arn },
      {},
    );
    await harness.advance(seconds(30));
    await harness.drain(minutes(60));
    expect(await harness.deadLetters('short')).toEqual([]);
    // Five tries, then one more by either of the two: the record is the event's, whichever message carries it.
    expect(runs).toHaveLength(6);
    harness.stop();
  });
});

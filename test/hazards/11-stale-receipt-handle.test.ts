import { ChangeMessageVisibilityBatchCommand } from '@aws-sdk/client-sqs';
import { milliseconds, minutes, seconds } from 'sluice';
import { consume, publisher } from 'sluice/lambda';
import { createHarness, type HarnessTools } from 'sluice/local';
import { describe, expect, it } from 'vitest';
import { shop } from '../runtime/support/world.ts';

describe('11: a receipt handle that is stale repeats no effect and crashes nothing', () => {
  it.each(['payments', 'email'] as const)(
    'the delete of %s comes after the message is visible again',
    async (subscriber) => {
      const done: string[] = [];
      const measured = { processed: 0, duplicates: 0 };
      const harness = await createHarness(shop, {
        handlers: {
          [subscriber]: (tools: HarnessTools) =>
            consume(shop, subscriber, ({ data }) => void done.push(data.orderId), {
              ...tools,
              metrics: {
                record(_, { processed, duplicates }) {
                  measured.processed += processed;
                  measured.duplicates += duplicates;
                },
              },
            }),
        },
        // Held back beyond the visibility: when it is done, the handle in it is stale.
        faults: [
          { service: 'sqs', action: 'DeleteMessageBatch', at: 1, effect: { delay: milliseconds(400_000) } },
        ],
      });
      const till = publisher(shop, harness.tools);
      for (const orderId of ['1', '2', '3']) await till.publish('order.placed', { orderId });
      await harness.drain(minutes(30));
      expect(done.sort()).toEqual(['1', '2', '3']);
      expect(measured.processed).toBe(3);
      expect(measured.duplicates).toBeGreaterThan(0);
      expect(await harness.deadLetters(subscriber)).toEqual([]);
      harness.stop();
    },
  );

  it.each(['payments', 'email'] as const)(
    'a handler of %s whose message somebody else got in the meantime ends without harm',
    async (subscriber) => {
      const done: string[] = [];
      let held = true;
      let beats = 0;
      const harness = await createHarness(shop, {
        handlers: {
          [subscriber]: (tools: HarnessTools) =>
            consume(
              shop,
              subscriber,
              async ({ data }) => {
                // The message is made visible under the handler, and another environment receives it.
                if (held) {
                  held = false;
                  await new Promise<void>(
                    (resolve) => void harness.clock.after(milliseconds(20_000), resolve),
                  );
                }
                done.push(data.orderId);
              },
              {
                ...tools,
                sqs: {
                  send: (command: object) =>
                    command instanceof ChangeMessageVisibilityBatchCommand && beats++ === 0
                      ? tools.sqs.send(
                          new ChangeMessageVisibilityBatchCommand({
                            ...command.input,
                            Entries: command.input.Entries?.map((entry) => ({
                              ...entry,
                              VisibilityTimeout: 0,
                            })),
                          }),
                        )
                      : tools.sqs.send(command as never),
                },
              },
            ),
        },
      });
      await publisher(shop, harness.tools).publish('order.placed', { orderId: '1' });
      await harness.advance(seconds(60));
      await harness.drain(minutes(30));
      expect(done).toEqual(['1']);
      expect(beats).toBeGreaterThan(1);
      expect(await harness.deadLetters(subscriber)).toEqual([]);
      harness.stop();
    },
  );
});

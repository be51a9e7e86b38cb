import { defineMessaging, event, minutes, seconds } from 'sluice';
import { consume, publisher } from 'sluice/lambda';
import { createHarness } from 'sluice/local';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { allow, document } from './support.ts';

const shop = defineMessaging({
  name: 'shop',
  topics: { news: {} },
  events: { arrived: event({ topic: 'news', schema: z.object({ text: z.string() }) }) },
  subscribers: { readers: { on: ['arrived'], handler: 'b.ts', lag: minutes(5) } },
});

const polling = allow(['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes']);

describe('a harness that is given the rights of a function', () => {
  const run = async (...statements: readonly object[]) => {
    const read: string[] = [];
    const harness = await createHarness(shop, {
      rights: { readers: document(...statements) },
      handlers: {
        readers: (tools) => consume(shop, 'readers', ({ data }) => void read.push(data.text), tools),
      },
    });
    await publisher(shop, harness.tools).publish('arrived', { text: 'x' });
    await harness.advance(seconds(20));
    harness.stop();
    return { read, said: JSON.stringify(harness.logs) };
  };

  it('lets it do what they allow', async () => {
    const writing = allow(['dynamodb:PartiQL*', 'dynamodb:UpdateItem', 'dynamodb:BatchGetItem'], '*');
    expect((await run(polling, allow('sqs:ChangeMessageVisibility'), writing)).read).toEqual(['x']);
  });

  it('refuses the rest', async () => {
    const { read, said } = await run(polling, allow('sqs:ChangeMessageVisibility'));
    expect(read).toEqual([]);
    expect(said).toContain('AccessDenied');
  });

  it('does not begin when they do not let Lambda poll', async () => {
    await expect(run(allow('sqs:ReceiveMessage'))).rejects.toThrow(
      /does not have permissions to call DeleteMessage on SQS/,
    );
  });
});

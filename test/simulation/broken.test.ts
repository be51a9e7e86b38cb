import type { TransactWriteItemsCommand } from '@aws-sdk/client-dynamodb';
import { consume } from 'sluice/lambda';
import type { HarnessTools } from 'sluice/local';
import { describe, expect, test } from 'vitest';
import { judge } from './judge.ts';
import { type BuildConsumer, play } from './run.ts';

/** Plays seeds until the judge says what is expected; gives back all that it said. */
async function verdicts(build: BuildConsumer, expected: RegExp): Promise<string> {
  const found: string[] = [];
  for (let seed = 1; seed <= 10 && !found.some((fault) => expected.test(fault)); seed++)
    found.push(...judge((await play(seed, build)).findings));
  return found.join('\n');
}

describe('the judge sees what a broken runtime does', () => {
  test('a commit without the fenced record doubles effects', async () => {
    const doubled = /^(stock|totals|counts): doubled: the effect of [on]\d+ happened \d+ times$/m;
    const found = await verdicts(
      (stack, subscriber, handler, tools) =>
        consume(stack, subscriber, handler, { ...tools, dynamodb: withoutFence(tools.dynamodb) }),
      doubled,
    );
    expect(found).toMatch(doubled);
  });

  test('an acknowledgement before the commit loses events', async () => {
    const lost = /lost: o\d+ has neither effect nor dead letter/;
    const found = await verdicts((stack, subscriber, handler, tools) => {
      const whole = consume(stack, subscriber, handler, tools);
      return (event, context) => {
        whole(event, context).catch(() => undefined);
        return { batchItemFailures: [] };
      };
    }, lost);
    expect(found).toMatch(lost);
  });

  test('a batch of a FIFO queue that goes on after a failure reorders', async () => {
    const reordered = /^(stock|charges): reordered: in group g\d o\d+ came after o\d+$/m;
    const found = await verdicts((stack, subscriber, handler, tools) => {
      const whole = consume(stack, subscriber, handler, tools);
      // Each message by itself, as if it had no group.
      return async (event, context) => {
        const responses = await Promise.all(
          event.Records.map((record) => whole({ Records: [record] }, context)),
        );
        return { batchItemFailures: responses.flatMap((response) => response.batchItemFailures) };
      };
    }, reordered);
    expect(found).toMatch(reordered);
  });
});

/** Takes the record, whose condition is the fence, out of each transaction. */
function withoutFence(client: HarnessTools['dynamodb']): HarnessTools['dynamodb'] {
  const send = (command: TransactWriteItemsCommand) => {
    if (command.constructor.name === 'TransactWriteItemsCommand') command.input.TransactItems?.shift();
    return client.send(command);
  };
  return { send, destroy: () => undefined } as unknown as HarnessTools['dynamodb'];
}

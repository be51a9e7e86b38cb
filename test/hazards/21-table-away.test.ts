import { describe, expect, it } from 'vitest';
import { lostReply, serviceError } from '../runtime/support/dynamodb.ts';
import { createWorld, keyOf, message, table } from '../runtime/support/world.ts';

describe('21: while the table of records is throttled or away nothing runs, and every message stays', () => {
  it('away or throttled, nothing runs without the lease: the messages go back with a backoff', async () => {
    for (const error of [
      serviceError('ThrottlingException'),
      lostReply(),
      serviceError('ResourceNotFoundException'),
    ]) {
      const world = createWorld({ random: { next: () => 0.999 } });
      world.dynamodb.intercept = () => {
        throw error;
      };
      let ran = false;
      const worker = world.worker(() => {
        ran = true;
      });
      const records = [message('1', { messageId: '1' }), message('2', { messageId: '2', receives: 4 })];
      expect(await worker.run(records)).toEqual(['1', '2']);
      expect(ran).toBe(false);
      expect(world.sqs.visibilityOf('1')).toBe(1);
      expect(world.sqs.visibilityOf('2')).toBe(8);
    }
  });

  it('one throttled statement of a batch holds back its message alone', async () => {
    const world = createWorld();
    const send = world.dynamodb.send;
    world.dynamodb.send = async (command) => {
      const output = (await send(command)) as { Responses?: object[] };
      const { input } = command as { input: { Statements?: { Parameters: { S?: string }[] }[] } };
      const index =
        input.Statements?.findIndex((statement) => statement.Parameters[0]?.S === keyOf('1')) ?? -1;
      if (index >= 0) {
        world.dynamodb.items(table).delete(keyOf('1'));
        output.Responses![index] = { Error: { Code: 'ProvisionedThroughputExceeded' } };
      }
      return output;
    };
    const seen: string[] = [];
    const worker = world.worker((event) => void seen.push(event.data.orderId));
    expect(await worker.run([message('1', { messageId: '1' }), message('2')])).toEqual(['1']);
    expect(seen).toEqual(['2']);
  });
});

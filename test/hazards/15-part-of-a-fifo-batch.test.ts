import { BatchExecuteStatementCommand, type BatchStatementRequest } from '@aws-sdk/client-dynamodb';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createWorld, gate, message, recordOf, type World } from '../runtime/support/world.ts';

const payments = { subscriber: 'payments' } as const;

describe('15: when a part of a FIFO batch fails, the first failure and everything after it in its group go back, and other groups go on', () => {
  it('the first failure of a group and all later ones of it are returned; other groups go on', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            group: fc.constantFrom('a', 'b', 'c'),
            fails: fc.boolean(),
            wait: fc.integer({ min: 0, max: 3 }),
          }),
          { minLength: 1, maxLength: 10 },
        ),
        async (plan) => {
          const world = createWorld();
          const started: string[] = [];
          const worker = world.worker(async (event) => {
            const index = Number(event.data.orderId);
            started.push(event.data.orderId);
            for (let turn = 0; turn < plan[index]!.wait; turn++) await Promise.resolve();
            if (plan[index]!.fails) throw new Error('down');
          }, payments);
          const records = plan.map(({ group }, index) =>
            message(String(index), { group, messageId: String(index) }),
          );

          const returned = await worker.run(records);

          for (const group of ['a', 'b', 'c']) {
            const members = plan.flatMap((item, index) => (item.group === group ? [String(index)] : []));
            const head = members.findIndex((index) => plan[Number(index)]!.fails);
            const expected = head < 0 ? [] : members.slice(head);
            expect(returned.filter((index) => members.includes(index))).toEqual(expected);
            // Started in order, and nothing after the failure.
            expect(started.filter((index) => members.includes(index))).toEqual(
              head < 0 ? members : members.slice(0, head + 1),
            );
          }
        },
      ),
      { numRuns: 60 },
    );
  });

  it('groups run side by side, one group’s messages one after another', async () => {
    const world = createWorld();
    const gates = new Map(['0', '1', '2'].map((id) => [id, gate()]));
    const started: string[] = [];
    const worker = world.worker((event) => {
      started.push(event.data.orderId);
      return gates.get(event.data.orderId)!.opened;
    }, payments);
    const running = worker.start([
      message('0', { group: 'a' }),
      message('1', { group: 'a' }),
      message('2', { group: 'b' }),
    ]);
    await world.clock.settle();
    expect(started).toEqual(['0', '2']);
    gates.get('0')!.open();
    await world.clock.settle();
    expect(started).toEqual(['0', '2', '1']);
    gates.get('1')!.open();
    gates.get('2')!.open();
    expect((await running).batchItemFailures).toEqual([]);
  });

  it('a letter leaves no hole in silence: a group goes on after its head was dead-lettered', async () => {
    const world = createWorld();
    const seen: string[] = [];
    const worker = world.worker((event) => void seen.push(event.data.orderId), payments);
    const broken = message('0', { group: 'a', body: 'no JSON' });
    expect(await worker.run([broken, message('1', { group: 'a' })])).toEqual([]);
    expect(seen).toEqual(['1']);
    expect(letterReasons(world)).toEqual(['undecodable']);
    expect(world.sqs.letters[0]).toMatchObject({
      MessageGroupId: 'a',
      MessageDeduplicationId: broken.messageId,
    });
  });

  it('a head whose completion is not known takes the finished rest of its group back with it', async () => {
    const world = createWorld();
    let throttled = false;
    // From the second message on, every statement on the head's record is throttled, and only those.
    const dynamodb = {
      async send(command: object) {
        const { input } = command as { input: { Statements?: BatchStatementRequest[] } };
        const isHead = (statement: BatchStatementRequest) =>
          throttled && statement.Parameters?.some((value) => value.S?.endsWith('order.placed:0'));
        if (!input.Statements?.some(isHead)) return world.dynamodb.send(command);
        const rest = input.Statements.filter((statement) => !isHead(statement));
        const output = (await world.dynamodb.send(
          new BatchExecuteStatementCommand({ Statements: rest }),
        )) as {
          Responses: object[];
        };
        const refused = { Error: { Code: 'ProvisionedThroughputExceeded' } };
        return {
          Responses: input.Statements.map((statement) =>
            isHead(statement) ? refused : output.Responses.shift(),
          ),
        };
      },
    };
    const worker = world.worker(
      (event) => {
        throttled = event.data.orderId === '1';
      },
      { ...payments, dynamodb },
    );
    const returned = await worker.run([
      message('0', { group: 'a', messageId: '0' }),
      message('1', { group: 'a', messageId: '1' }),
      message('2', { group: 'b', messageId: '2' }),
    ]);
    expect(recordOf(world, '1', 'payments')?.state).toBe('COMPLETED');
    expect(returned).toEqual(['0', '1']);
  });
});

const letterReasons = (world: World) =>
  world.sqs.letters.map((letter) => letter.MessageAttributes?.['sluice-reason']?.StringValue);

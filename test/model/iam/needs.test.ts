import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { defineMessaging, event, minutes } from 'sluice';
import { consume, publisher } from 'sluice/lambda';
import { createHarness, type Fault } from 'sluice/local';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { RecordsTable } from '../../../lib/constructs/index.ts';
import type { Effects } from '../../../lib/topology/index.ts';
import { allow, document } from './support.ts';

/** What the stack lets the role of such a subscriber do with the table of records. */
function granted(effects: Effects, fifo: boolean): readonly string[] {
  const stack = new Stack(new App(), 'Stack');
  const role = new Role(stack, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
  new RecordsTable(stack, 'Records').grantConsume(role, { effects, fifo });
  const [policy] = Object.values(Template.fromStack(stack).findResources('AWS::IAM::Policy'));
  return policy?.Properties.PolicyDocument.Statement[0].Action as readonly string[];
}

const ofQueue = [
  'sqs:ChangeMessageVisibility',
  'sqs:DeleteMessage',
  'sqs:GetQueueAttributes',
  'sqs:ReceiveMessage',
];
const polling = ofQueue.filter((action) => action !== 'sqs:ChangeMessageVisibility');

const throttled: Fault = {
  service: 'dynamodb',
  action: 'BatchExecuteStatement',
  at: Array.from({ length: 60 }, (_, index) => index + 1),
  effect: { error: { name: 'ThrottlingException', statusCode: 400 } },
};

/** A run in which everything happens that a subscriber's function sends for: what was refused, said and left. */
async function run(effects: Effects, fifo: boolean, actions: readonly string[]) {
  const shop = defineMessaging({
    name: 'shop',
    topics: { news: { fifo } },
    events: {
      arrived: event({ topic: 'news', schema: z.object({ id: z.string() }), group: () => 'g' }),
    },
    subscribers: {
      readers: {
        on: ['arrived'],
        fifo,
        effects,
        handler: 'b.ts',
        lag: minutes(5),
        attempts: effects === 'atMostOnce' ? 1 : 2,
      },
    },
  });
  const done: string[] = [];
  let troubles = 0;
  const handler = async (arrived: { readonly data: { readonly id: string } }, context: object) => {
    const { gap, commitWith } = context as {
      gap?(): Promise<unknown>;
      commitWith?(items: []): Promise<void>;
    };
    const { id } = arrived.data;
    if (id === 'never') throw new Error('never');
    if (id === 'once' && troubles++ === 0) throw new Error('once');
    await gap?.();
    if (id === 'commit') await commitWith?.([]);
    done.push(id);
    return [];
  };
  const harness = await createHarness(shop, {
    rights: { readers: document(allow(actions)) },
    // What runs at most once comes again only when the table did not take its record.
    faults: effects === 'atMostOnce' ? [throttled] : [],
    handlers: { readers: (tools) => consume(shop, 'readers', handler as never, tools) as never },
  });
  const publish = publisher(shop, harness.tools);
  for (const id of ['plain', 'commit', 'once', 'never', 'later'])
    await publish.publish('arrived', { id }, { id, group: id });
  await harness.advance(minutes(30));
  const letters = await harness.deadLetters('readers');
  const settled = new Set([...done, ...letters.map(({ body }) => JSON.parse(body).id as string)]);
  const queue = harness.aws.sqs.queue(harness.deployed.subscribers.readers!.queue.arn)!;
  const errors = harness.logs.filter(({ level }) => level === 'error').map((line) => JSON.stringify(line));
  harness.stop();
  return { settled, left: queue.visible + queue.inFlight + queue.delayed, errors };
}

const cases = (['exactlyOnceEffect', 'transactional', 'atLeastOnce', 'atMostOnce'] as const).flatMap(
  (effects) => [false, true].map((fifo) => ({ effects, fifo })),
);

describe.each(cases)('a subscriber with $effects, FIFO $fifo', ({ effects, fifo }) => {
  const needed = [...ofQueue, 'sqs:SendMessage', ...granted(effects, fifo)];

  it('has all the rights that its function needs', async () => {
    const { settled, left, errors } = await run(effects, fifo, needed);
    expect(errors.filter((line) => line.includes('not authorized'))).toEqual([]);
    expect(left).toBe(0);
    expect(settled.size).toBe(5);
  });

  it.each(needed.filter((action) => !polling.includes(action)))(
    'says in one line that %s is missing, and loses nothing',
    async (missing) => {
      const { settled, left, errors } = await run(
        effects,
        fifo,
        needed.filter((action) => action !== missing),
      );
      const name = missing.startsWith('sqs:') ? missing.toLowerCase() : missing;
      const lines = errors.filter(
        (line) => line.includes('A right is missing') && line.includes(`perform: ${name} on resource: arn:`),
      );
      expect(lines.length, errors.join('\n')).toBeGreaterThan(0);
      for (const line of lines)
        expect(line).toContain(`because no identity-based policy allows the ${name} action`);
      expect(settled.size + left).toBeGreaterThanOrEqual(5);
    },
  );
});

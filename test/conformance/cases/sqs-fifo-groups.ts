import { ok } from 'node:assert/strict';
import { type ConformanceCase, group } from '../case.ts';
import { equal } from './kit/equal.ts';
import { guide, recorded, sqsCase } from './kit/sources.ts';

const logic = 'FIFO delivery logic';

/** Three messages of a group in flight for a second; one of them is extended. What comes back meanwhile. */
const extensions: readonly (readonly [which: string, index: number, back: string])[] = [
  ['first', 0, ''],
  ['second', 1, 'a'],
  ['third', 2, 'a,b'],
];

const extended: readonly ConformanceCase[] = extensions.map(([which, index, back]) =>
  sqsCase(
    `${which}-of-three-extended`,
    `Of three messages in flight the ${which} is extended: ${back === '' ? 'none comes' : `${back.replace(',', ' and ')} come`} back before it.`,
    recorded('a message can be received if and only if no earlier one of its group is in flight'),
    async ({ fifo, sendTo, receive, change, bodies }, world) => {
      const url = await fifo({ VisibilityTimeout: '1' });
      for (const body of ['a', 'b', 'c']) await sendTo(url, 'g', body);
      const messages = await receive(url);
      equal(messages.map(({ Body }) => Body).join(), 'a,b,c');
      await change(url, messages[index], 6);
      await world.pass(2.5);
      equal((await bodies(url, { WaitTimeSeconds: 0 })).join(), back);
    },
  ),
);

export const sqsFifoGroups = group(
  'sqs-fifo-groups',
  'The rule of a group of a FIFO queue',
  ['sqs'],
  [
    ...extended,
    sqsCase(
      'order-of-a-group',
      'The messages of a group are received in the order in which they were sent.',
      guide(logic, 'messages of a group are processed one by one in strict order'),
      async ({ fifo, sendTo, receiveOne, remove }) => {
        const url = await fifo();
        const sent = ['a', 'b', 'c', 'd'];
        for (const body of sent) await sendTo(url, 'g', body);
        const got: (string | undefined)[] = [];
        for (const _ of sent) {
          const message = await receiveOne(url);
          got.push(message.Body);
          await remove(url, message);
        }
        equal(got.join(), sent.join());
      },
    ),
    sqsCase(
      'message-in-flight-locks-its-group',
      'While a message of a group is in flight, no later one of the group is received.',
      guide(logic, 'no other message of the group is returned until the one is deleted or visible again'),
      async ({ fifo, sendTo, receiveOne, nothing }) => {
        const url = await fifo();
        for (const body of ['a', 'b']) await sendTo(url, 'g', body);
        await receiveOne(url);
        await nothing(url, 'A message came although its group was locked');
      },
    ),
    sqsCase(
      'other-groups-go-on',
      'A locked group does not hold the other groups back.',
      guide(logic, 'other consumers can work on messages of other groups meanwhile'),
      async ({ fifo, sendTo, receiveOne, bodies }) => {
        const url = await fifo();
        for (const body of ['a1', 'a2']) await sendTo(url, 'a', body);
        await receiveOne(url);
        await sendTo(url, 'b', 'b1');
        equal((await bodies(url)).join(), 'b1');
      },
    ),
    sqsCase(
      'several-of-one-group',
      'One receive gives several messages of a group, in order.',
      guide(logic, 'as many messages of the same group as possible are returned in one receive'),
      async ({ fifo, sendTo, bodies }) => {
        const url = await fifo();
        for (const body of ['a', 'b', 'c']) await sendTo(url, 'g', body);
        equal((await bodies(url)).join(), 'a,b,c');
      },
    ),
    sqsCase(
      'one-group-after-the-other',
      'A receive gives what a group has before it goes to the next one.',
      recorded('sent g1-1, g2-1, g1-2, g1-3; received g1-1, g1-2, g1-3, g2-1'),
      async ({ fifo, sendTo, bodies }) => {
        const url = await fifo();
        for (const body of ['g1-1', 'g2-1', 'g1-2', 'g1-3']) await sendTo(url, body.slice(0, 2), body);
        equal((await bodies(url)).join(), 'g1-1,g1-2,g1-3,g2-1');
      },
    ),
    sqsCase(
      'new-message-for-a-locked-group',
      'A message sent to a locked group waits with it, and comes as soon as the group is free.',
      recorded('waiting polls got nothing until the message in flight was deleted, then the new one at once'),
      async ({ fifo, sendTo, receiveOne, remove, nothing, bodies }, world) => {
        const url = await fifo();
        await sendTo(url, 'g', 'a');
        const message = await receiveOne(url);
        await sendTo(url, 'g', 'b');
        await nothing(url, 'The new message came although its group was locked');
        const waiting = bodies(url, { WaitTimeSeconds: 10 });
        const before = world.now();
        await remove(url, message);
        equal((await waiting).join(), 'b');
        ok(world.now() - before < 5000, 'The waiting poll was not woken by the delete.');
      },
    ),
    sqsCase(
      'one-of-two-deleted',
      'Deleting the first of two messages in flight does not free the group.',
      recorded('the rest of the group stays away, other groups are given'),
      async ({ fifo, sendTo, receive, remove, bodies }) => {
        const url = await fifo();
        for (const body of ['a1', 'a2', 'a3']) await sendTo(url, 'a', body);
        const [first] = await receive(url, { MaxNumberOfMessages: 2 });
        await sendTo(url, 'b', 'b1');
        await remove(url, first);
        equal((await bodies(url)).join(), 'b1');
      },
    ),
    sqsCase(
      'both-deleted',
      'Deleting both messages in flight frees the group.',
      recorded('the rest of the group is received'),
      async ({ fifo, sendTo, receive, remove, bodies }) => {
        const url = await fifo();
        for (const body of ['a1', 'a2', 'a3']) await sendTo(url, 'a', body);
        for (const message of await receive(url, { MaxNumberOfMessages: 2 })) await remove(url, message);
        equal((await bodies(url)).join(), 'a3');
      },
    ),
    sqsCase(
      'first-given-back-alone',
      'The first of two in flight is given back: it is received again, alone, and the second stays in flight.',
      recorded('received g1-m1 without g1-m2'),
      async ({ fifo, sendTo, receive, change, bodies }) => {
        const url = await fifo();
        for (const body of ['a1', 'a2']) await sendTo(url, 'a', body);
        const [first] = await receive(url);
        await change(url, first, 0);
        equal((await bodies(url)).join(), 'a1');
      },
    ),
    sqsCase(
      'second-given-back-waits',
      'The second of two in flight is given back: it waits for the first.',
      recorded('follows from the rule: an earlier message of the group is in flight'),
      async ({ fifo, sendTo, receive, change, remove, nothing, bodies }) => {
        const url = await fifo();
        for (const body of ['a1', 'a2']) await sendTo(url, 'a', body);
        const [first, second] = await receive(url);
        await change(url, second, 0);
        await nothing(url, 'The second came back before the first was done');
        await remove(url, first);
        equal((await bodies(url)).join(), 'a2');
      },
    ),
    sqsCase(
      'shortened-first-comes-back',
      'The timeout of the first of two is shortened: it comes back alone when that is over.',
      recorded('g2-m1 and g1-m1 were received, g1-m2 still had its 30 s'),
      async ({ fifo, sendTo, receive, change, bodies }, world) => {
        const url = await fifo();
        for (const body of ['a1', 'a2']) await sendTo(url, 'a', body);
        const [first] = await receive(url);
        await sendTo(url, 'b', 'b1');
        await change(url, first, 1);
        await world.pass(2.2);
        equal((await bodies(url)).sort().join(), 'a1,b1');
      },
    ),
    sqsCase(
      'all-come-back-in-order',
      'Messages whose timeouts end together come back in order.',
      recorded('three messages in order, and again in order after their timeout'),
      async ({ fifo, sendTo, bodies }, world) => {
        const url = await fifo({ VisibilityTimeout: '1' });
        for (const body of ['a', 'b', 'c']) await sendTo(url, 'g', body);
        await bodies(url);
        await world.pass(2.2);
        equal((await bodies(url)).join(), 'a,b,c');
      },
    ),
    sqsCase(
      'zero-visibility-locks-nothing',
      'A receive with visibility 0 keeps the order and locks nothing; who was served goes behind the others.',
      recorded('three of g1-1, g2-1, g2-2, g3-1, g1-2 first, then g3-1 before g1 and g2'),
      async ({ fifo, sendTo, bodies }) => {
        const url = await fifo();
        for (const body of ['g1-1', 'g2-1', 'g2-2', 'g3-1', 'g1-2'])
          await sendTo(url, body.slice(0, 2), body);
        const now = { VisibilityTimeout: 0 };
        equal((await bodies(url, { ...now, MaxNumberOfMessages: 3 })).join(), 'g1-1,g1-2,g2-1');
        equal((await bodies(url, now)).join(), 'g3-1,g1-1,g1-2,g2-1,g2-2');
      },
    ),
    sqsCase(
      'timeout-of-a-group-with-others',
      'After the timeouts every group gives what it has, in its own order.',
      recorded('the group that was not served comes first, the others follow in either order'),
      async ({ fifo, sendTo, bodies }, world) => {
        const url = await fifo({ VisibilityTimeout: '1' });
        for (const body of ['g1-1', 'g1-2', 'g1-3', 'g2-1', 'g3-1'])
          await sendTo(url, body.slice(0, 2), body);
        equal((await bodies(url, { MaxNumberOfMessages: 2 })).join(), 'g1-1,g1-2');
        equal((await bodies(url, { MaxNumberOfMessages: 1 })).join(), 'g2-1');
        await world.pass(2.2);
        const got = (await bodies(url, { VisibilityTimeout: 0 })).join();
        ok(
          ['g3-1,g1-1,g1-2,g1-3,g2-1', 'g3-1,g2-1,g1-1,g1-2,g1-3'].includes(got),
          `The groups came as ${got}.`,
        );
      },
    ),
    sqsCase(
      'two-consumers-two-groups',
      'Two consumers at once get different groups.',
      guide(logic, 'several consumers can work on several groups at the same time'),
      async ({ fifo, sendTo, receive }) => {
        const url = await fifo();
        for (const body of ['a1', 'b1', 'a2', 'b2']) await sendTo(url, body.slice(0, 1), body);
        const one = { MaxNumberOfMessages: 1, MessageSystemAttributeNames: ['MessageGroupId' as const] };
        const got = (await Promise.all([receive(url, one), receive(url, one)])).flat();
        const groups = got.map(({ Attributes }) => Attributes?.MessageGroupId);
        equal(groups.sort().join(), 'a,b');
      },
    ),
    sqsCase(
      'emptied-group-goes-on',
      'A group that was emptied takes and gives new messages.',
      recorded('a second message of the group is received after the first was deleted'),
      async ({ fifo, sendTo, receiveOne, remove, nothing, bodies }) => {
        const url = await fifo();
        await sendTo(url, 'g', 'a');
        await remove(url, await receiveOne(url));
        await nothing(url, 'A deleted message came back');
        await sendTo(url, 'g', 'b');
        equal((await bodies(url)).join(), 'b');
      },
    ),
    sqsCase(
      'only-received-messages-are-in-flight',
      'The messages behind a locked one count as available, not as in flight.',
      recorded('two of six received: four available, two in flight'),
      async ({ fifo, sendTo, receiveOne, counts }, world) => {
        const url = await fifo();
        for (const body of ['a1', 'a2', 'b1', 'b2', 'c1', 'c2']) await sendTo(url, body.slice(0, 1), body);
        await receiveOne(url);
        await receiveOne(url);
        await world.eventually('counts of 4 and 2', world.server === 'aws' ? 90 : 1, async () =>
          `${await counts(url)}` === '4,2,0' ? true : undefined,
        );
      },
    ),
    sqsCase(
      'delayed-message-behind-a-visible-one',
      'A delayed message holds no earlier message of its group back.',
      recorded(
        'floci issue 2104, compared with AWS: the earlier one is received while the later one is delayed',
      ),
      async ({ fifo, sendTo, bodies }, world) => {
        const url = await fifo({ DelaySeconds: '3' });
        await sendTo(url, 'g', 'a');
        await world.pass(1.8);
        await sendTo(url, 'g', 'b');
        await world.pass(2.2);
        equal((await bodies(url, { WaitTimeSeconds: 0 })).join(), 'a');
      },
    ),
  ],
);

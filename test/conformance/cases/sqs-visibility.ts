import { ok } from 'node:assert/strict';
import { group } from '../case.ts';
import { equal } from './kit/equal.ts';
import { api, guide, recorded, sqsCase } from './kit/sources.ts';

const page = 'Amazon SQS visibility timeout';

export const sqsVisibility = group(
  'sqs-visibility',
  'Visibility timeouts of standard queues',
  ['sqs'],
  [
    sqsCase(
      'hidden-for-its-time',
      'A received message is hidden for the visibility timeout, then it comes back.',
      guide(page, 'the message is not visible to other consumers for the time, and is again afterwards'),
      async ({ queue, send, receiveOne, nothing, bodies }, world) => {
        const url = await queue({ VisibilityTimeout: '1' });
        await send(url, 'm');
        await receiveOne(url);
        await nothing(url, 'A message in flight was received');
        await world.pass(1.1);
        equal((await bodies(url)).join(), 'm');
      },
    ),
    sqsCase(
      'receive-has-its-own',
      'The visibility of a receive goes before the queue’s, for this receive alone.',
      api('ReceiveMessage', 'VisibilityTimeout: how long the received messages are hidden'),
      async ({ queue, send, receiveOne, nothing }, world) => {
        const url = await queue();
        await send(url, 'm');
        await receiveOne(url, { VisibilityTimeout: 1 });
        await world.pass(1.1);
        await receiveOne(url);
        await world.pass(1.1);
        await nothing(url, 'The second receive did not have the queue’s visibility');
      },
    ),
    sqsCase(
      'zero-hides-nothing',
      'A receive with visibility 0 leaves the message there.',
      recorded('the next receive gets it, under another handle'),
      async ({ queue, send, receiveOne, bodies }) => {
        const url = await queue();
        await send(url, 'm');
        await receiveOne(url, { VisibilityTimeout: 0 });
        equal((await bodies(url)).join(), 'm');
      },
    ),
    sqsCase(
      'extended',
      'A change moves the end of the timeout, counted from the change.',
      api('ChangeMessageVisibility', 'the new timeout counts from the moment of the call'),
      async ({ queue, send, receiveOne, change, nothing, bodies }, world) => {
        const url = await queue({ VisibilityTimeout: '1' });
        await send(url, 'm');
        const message = await receiveOne(url);
        await world.pass(0.5);
        await change(url, message, 2);
        await world.pass(1.5);
        await nothing(url, 'It came back before the extended timeout was over');
        await world.pass(0.7);
        equal((await bodies(url)).join(), 'm');
      },
    ),
    sqsCase(
      'shortened-to-zero',
      'A change to 0 gives the message back at once, and wakes who waits.',
      guide(page, 'set it to 0 to make the message available to others immediately'),
      async ({ queue, send, receiveOne, change, bodies }, world) => {
        const url = await queue();
        await send(url, 'm');
        const message = await receiveOne(url);
        const waiting = bodies(url, { WaitTimeSeconds: 10 });
        const before = world.now();
        await change(url, message, 0);
        equal((await waiting).join(), 'm');
        ok(world.now() - before < 5000, 'The waiting poll was not woken.');
      },
    ),
    sqsCase(
      'change-is-not-permanent',
      'A change holds for this receive: the next one has the queue’s timeout again.',
      guide(page, 'a changed timeout does not change the queue’s'),
      async ({ queue, send, receiveOne, change, nothing }) => {
        const url = await queue();
        await send(url, 'm');
        await change(url, await receiveOne(url), 0);
        await receiveOne(url);
        await nothing(url, 'The next receive did not have the queue’s timeout');
      },
    ),
    sqsCase(
      'extended-again-and-again',
      'A message stays hidden for as long as it is extended in time.',
      guide(page, 'a heartbeat extends the timeout in regular intervals'),
      async ({ queue, send, receiveOne, change, nothing, bodies }, world) => {
        const url = await queue({ VisibilityTimeout: '1' });
        await send(url, 'm');
        const message = await receiveOne(url);
        for (let beat = 1; beat <= 4; beat++) {
          await world.pass(0.5);
          await change(url, message, 1);
          await nothing(url, `It came back at beat ${beat}`);
        }
        equal((await bodies(url, { WaitTimeSeconds: 3 })).join(), 'm');
      },
    ),
    sqsCase(
      'changed-after-its-end',
      'On a standard queue a change works after the timeout too, as long as nobody else has the message.',
      recorded(
        'succeeds a second after the end',
        'the API reference asks for a message in flight; whether it is hidden again is not recorded, in the model it is',
      ),
      async ({ queue, send, receiveOne, change }, world) => {
        const url = await queue({ VisibilityTimeout: '1' });
        await send(url, 'm');
        const message = await receiveOne(url);
        await world.pass(1.2);
        await change(url, message, 2);
      },
    ),
    sqsCase(
      'changed-with-an-older-handle',
      'On a standard queue an older handle still changes the visibility, though somebody else has the message.',
      recorded('a change to 0 with the first of two handles gave the message back at once'),
      async ({ queue, send, receiveOne, change, bodies }) => {
        const url = await queue();
        await send(url, 'm');
        const older = await receiveOne(url, { VisibilityTimeout: 0 });
        await receiveOne(url);
        await change(url, older, 0);
        equal((await bodies(url)).join(), 'm');
      },
    ),
    sqsCase(
      'change-of-a-deleted-message',
      'The visibility of a deleted message cannot be changed.',
      recorded('InvalidParameterValue: not available for a visibility timeout change'),
      async ({ queue, send, receiveOne, remove, change, refused }) => {
        const url = await queue();
        await send(url, 'm');
        const message = await receiveOne(url);
        await change(url, message, 42);
        await remove(url, message);
        await refused(
          'The change',
          ['InvalidParameterValue', 'MessageNotInflight'],
          change(url, message, 42),
        );
      },
    ),
    sqsCase(
      'range-of-the-timeout',
      'A timeout is 0 to 43,200 seconds, on a receive and on a change.',
      api('ChangeMessageVisibility', 'values range: 0 to 43200'),
      async ({ queue, send, receiveOne, receive, change, refused }) => {
        const url = await queue();
        await send(url, 'm');
        const message = await receiveOne(url);
        for (const wrong of [-1, 43_201]) {
          await refused(`A change to ${wrong}`, 'InvalidParameterValue', change(url, message, wrong));
          const call = receive(url, { VisibilityTimeout: wrong });
          await refused(`A receive with ${wrong}`, 'InvalidParameterValue', call);
        }
      },
    ),
    sqsCase(
      'twelve-hours-in-total',
      'A message can be hidden for 12 hours from its receive, however often it is extended.',
      guide(
        page,
        'the maximum is 12 hours from the time the message is received; extending doesn’t reset it',
      ),
      async ({ queue, send, receiveOne, change, refused, nothing, bodies }, world) => {
        const url = await queue();
        await send(url, 'm');
        const message = await receiveOne(url, { VisibilityTimeout: 36_000 });
        await world.pass(32_400);
        await change(url, message, 10_800);
        await refused('A minute beyond 12 hours', 'InvalidParameterValue', change(url, message, 10_860));
        await world.pass(10_799);
        await nothing(url, 'The refused change ended the timeout');
        await world.pass(1);
        equal((await bodies(url)).join(), 'm');
      },
      { hours: true },
    ),
    sqsCase(
      'twelve-hours-begin-anew',
      'The 12 hours begin anew with the next receive.',
      guide(page, 'the limit counts from the receive'),
      async ({ queue, send, receiveOne, change }, world) => {
        const url = await queue();
        await send(url, 'm');
        await receiveOne(url, { VisibilityTimeout: 43_200 });
        await world.pass(43_200);
        await change(url, await receiveOne(url), 43_200);
      },
      { hours: true },
    ),
    sqsCase(
      'queue-timeout-changed',
      'A new timeout of the queue holds for receives after it, not for messages in flight.',
      guide(page, 'the timeout of a message is fixed when it is received'),
      async ({ queue, send, receiveOne, set, nothing }, world) => {
        const url = await queue({ VisibilityTimeout: '20' });
        await send(url, 'm');
        await receiveOne(url);
        await set(url, { VisibilityTimeout: '0' });
        await world.pass(0.2);
        await nothing(url, 'The new timeout ended the old one');
      },
    ),
    sqsCase(
      'others-go-on',
      'A message in flight holds nothing back on a standard queue.',
      guide('Amazon SQS standard queues', 'messages are independent of one another'),
      async ({ queue, send, receiveOne, bodies }) => {
        const url = await queue();
        for (const body of ['a', 'b', 'c']) await send(url, body);
        const first = await receiveOne(url);
        const rest = await bodies(url);
        equal([first.Body, ...rest].sort().join(), 'a,b,c');
      },
    ),
    sqsCase(
      'oldest-comes-back-first',
      'A message that comes back was sent before one that waits, and is received before it.',
      recorded('after its visibility test1 is received again, not test2 that was sent meanwhile'),
      async ({ queue, send, receiveOne }, world) => {
        const url = await queue();
        await send(url, 'test1');
        await receiveOne(url, { VisibilityTimeout: 1 });
        await send(url, 'test2');
        await world.pass(1.1);
        equal((await receiveOne(url)).Body, 'test1');
      },
    ),
    sqsCase(
      'waiting-poll-sees-the-end',
      'A waiting poll gets a message when its visibility ends.',
      recorded('a poll of 5 s got a message whose timeout was 1 s'),
      async ({ queue, send, receiveOne, bodies }) => {
        const url = await queue();
        await send(url, 'm');
        await receiveOne(url, { VisibilityTimeout: 1 });
        equal((await bodies(url, { WaitTimeSeconds: 5 })).join(), 'm');
      },
    ),
  ],
);

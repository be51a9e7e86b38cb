import {
  CreateQueueCommand,
  QueueDoesNotExist,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { milliseconds } from 'sluice';
import {
  type AwsModel,
  createAws,
  createEndpoint,
  createVirtualClock,
  type Endpoint,
  type Fault,
  modelClient,
  seededRandom,
} from 'sluice/local';
import { afterEach, describe, expect, test } from 'vitest';
import { clientSettings, postJson } from './fixtures.ts';

let aws: AwsModel | undefined;
let endpoint: Endpoint | undefined;

afterEach(async () => {
  aws?.stop();
  await endpoint?.close();
  endpoint = undefined;
});

const model = (faults: readonly Fault[], seed = 1) => {
  const clock = createVirtualClock();
  aws = createAws({ clock, random: seededRandom(seed), faults });
  return { aws, clock, sqs: modelClient(aws, 'sqs') };
};

describe('a planned fault happens at the call that it names', () => {
  test('an error at the second call, and nothing was done', async () => {
    const { aws, sqs } = model([
      { service: 'sqs', action: 'SendMessage', at: 2, effect: { error: { name: 'ThrottlingException' } } },
    ]);
    const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: 'q' }));
    const send = () => sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'x' }));
    await send();
    await expect(send()).rejects.toMatchObject({
      name: 'ThrottlingException',
      $fault: 'client',
      $metadata: { httpStatusCode: 400, attempts: 1 },
    });
    await send();
    expect(aws.sqs.queues()[0]?.sent).toBe(2);
    expect(aws.faults.happened).toMatchObject([{ action: 'SendMessage', call: 2 }]);
  });

  test('a lost reply: the call was done, and whoever repeats it does it twice', async () => {
    const fault: Fault = { action: 'SendMessage', at: 1, effect: { lostReply: true } };
    const { aws, clock, sqs } = model([fault]);
    const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: 'q' }));
    const command = new SendMessageCommand({ QueueUrl, MessageBody: 'x' });
    await expect(sqs.send(command)).rejects.toMatchObject({ name: 'LostReply', code: 'ECONNRESET' });
    expect(aws.sqs.queues()[0]?.sent).toBe(1);

    aws.faults.add(fault);
    const repeating = modelClient(aws, 'sqs', { attempts: 3 }).send(command);
    await clock.advance(milliseconds(1_000));
    expect(await repeating).toMatchObject({ $metadata: { attempts: 2 } });
    expect(aws.sqs.queues()[0]?.sent).toBe(3);
  });

  test('a lost reply over HTTP breaks the connection', async () => {
    endpoint = await createEndpoint(
      (url) => {
        aws = createAws({
          endpoint: url,
          faults: [{ action: 'SendMessage', at: [1, 3], effect: { lostReply: true } }],
        });
        return aws;
      },
      { port: 0 },
    );
    const sqs = new SQSClient({ ...clientSettings(endpoint), maxAttempts: 2 });
    const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: 'q' }));
    const sent = await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'x' }));
    expect(sent.$metadata.attempts).toBe(2);
    const body = JSON.stringify({ QueueUrl, MessageBody: 'x' });
    await expect(postJson(endpoint, 'AmazonSQS.SendMessage', body)).rejects.toThrow('fetch failed');
    expect(aws?.sqs.queues()[0]?.sent).toBe(3);
  });

  test('a delay, and only for the inputs that are meant', async () => {
    const { clock, sqs } = model([
      {
        action: 'SendMessage',
        where: ({ MessageBody }) => MessageBody === 'slow',
        effect: { delay: milliseconds(5_000) },
      },
    ]);
    const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: 'q' }));
    await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'fast' }));
    let done = false;
    const slow = sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'slow' })).then(() => {
      done = true;
    });
    await clock.advance(milliseconds(4_999));
    expect(done).toBe(false);
    await clock.advance(milliseconds(1));
    await slow;
  });

  test('by chance, the same at each run of a seed', async () => {
    const run = async (seed: number) => {
      const { sqs } = model(
        [
          {
            action: 'SendMessage',
            at: { chance: 0.3 },
            effect: { error: { name: 'InternalFailure', statusCode: 500 } },
          },
        ],
        seed,
      );
      const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: 'q' }));
      let pattern = '';
      for (let count = 0; count < 40; count++)
        pattern += await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'x' })).then(
          () => '.',
          () => '!',
        );
      return pattern;
    };
    const first = await run(7);
    expect(first).toMatch(/!/);
    expect(await run(7)).toBe(first);
    expect(await run(8)).not.toBe(first);
  });
});

describe('the client in process behaves as the SDK', () => {
  test('errors are instances of the SDK’s classes', async () => {
    const { sqs } = model([]);
    const error = await sqs
      .send(new SendMessageCommand({ QueueUrl: 'http://127.0.0.1:4566/000000000000/none', MessageBody: 'x' }))
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(QueueDoesNotExist);
  });

  test('nobody can change what the model holds through what was handed over', async () => {
    const { sqs } = model([]);
    const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: 'q' }));
    const attribute = { DataType: 'Binary', BinaryValue: new Uint8Array([1]) };
    await sqs.send(
      new SendMessageCommand({ QueueUrl, MessageBody: 'x', MessageAttributes: { a: attribute } }),
    );
    attribute.BinaryValue[0] = 2;
    const receive = new ReceiveMessageCommand({
      QueueUrl,
      VisibilityTimeout: 0,
      MessageAttributeNames: ['All'],
    });
    for (let round = 0; round < 2; round++) {
      const { Messages } = await sqs.send(receive);
      const bytes = Messages?.[0]?.MessageAttributes?.a?.BinaryValue as Uint8Array;
      expect(bytes).toEqual(new Uint8Array([1]));
      bytes[0] = 3;
    }
  });

  test('a client whose owner is dead does nothing; an abort ends a long poll', async () => {
    const { aws, sqs } = model([]);
    const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: 'q' }));
    const owner = new AbortController();
    const owned = modelClient(aws, 'sqs', { signal: owner.signal });
    const leave = new AbortController();
    const poll = owned.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 20 }), {
      abortSignal: leave.signal,
    });
    leave.abort();
    await expect(poll).rejects.toMatchObject({ name: 'AbortError' });
    owner.abort();
    await expect(owned.send(new SendMessageCommand({ QueueUrl, MessageBody: 'x' }))).rejects.toMatchObject({
      name: 'AbortError',
    });
    expect(aws.sqs.queues()[0]?.sent).toBe(0);
  });
});

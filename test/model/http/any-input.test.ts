import fc from 'fast-check';
import {
  type AwsModel,
  createAws,
  createVirtualClock,
  ServiceError,
  type ServiceId,
  seededRandom,
} from 'sluice/local';
import { expect, test } from 'vitest';
import { loadShapes, type Shape } from '../../../local/http/shape.ts';

/** Text that services look at: names, ids, ARNs, expressions and JSON, right and wrong. */
const text = fc.oneof(
  fc.constantFrom(
    '',
    'a',
    'abc',
    'abc.fifo',
    '0',
    '-1',
    '30',
    'true',
    'All',
    'http://127.0.0.1:4566/000000000000/abc',
    'arn:aws:sqs:us-east-1:000000000000:abc',
    'arn:aws:sns:us-east-1:000000000000:abc',
    'S',
    'HASH',
    'PAY_PER_REQUEST',
    '#n = :v',
    'SET #n = :v',
    'SELECT * FROM "abc"',
    'String',
    'Sum',
    'GreaterThanThreshold',
    '{}',
    '[',
    '{"a":[{"numeric":[">",1]}]}',
    '{"deadLetterTargetArn":"x","maxReceiveCount":0}',
    '__proto__',
  ),
  fc.string({ maxLength: 6 }),
);

/** What mostly leads to something that is there. */
const known: Readonly<Record<string, string>> = {
  QueueUrl: 'http://127.0.0.1:4566/000000000000/abc',
  QueueName: 'abc',
  TopicArn: 'arn:aws:sns:us-east-1:000000000000:abc',
  ResourceArn: 'arn:aws:sns:us-east-1:000000000000:abc',
  TableName: 'abc',
  Namespace: 'abc',
  AlarmName: 'abc',
};

/** Any input of a shape: few members, so that some inputs are nearly right. */
function inputs(shape: Shape, depth = 0): fc.Arbitrary<unknown> {
  switch (shape.kind) {
    case 'string':
      return text;
    case 'number':
      return fc.oneof(fc.integer({ min: -2, max: 100 }), fc.constantFrom(60, 1e15, 0.5));
    case 'boolean':
      return fc.boolean();
    case 'blob':
      return fc.uint8Array({ maxLength: 4 });
    case 'timestamp':
      return fc.date({ noInvalidDate: true });
    case 'list':
      return depth > 4 ? fc.constant([]) : fc.array(inputs(shape.item!.shape, depth + 1), { maxLength: 3 });
    case 'map':
      return depth > 4
        ? fc.constant({})
        : fc.dictionary(text, inputs(shape.item!.shape, depth + 1), { maxKeys: 2, noNullPrototype: true });
    case 'structure':
      return depth > 5
        ? fc.constant({})
        : fc
            .tuple(fc.subarray([...shape.members.keys()]), fc.boolean())
            // Half of the time with every name that leads somewhere, else nearly all inputs lack one.
            .map(([names, named]) =>
              named
                ? [...new Set([...names, ...[...shape.members.keys()].filter((key) => key in known)])]
                : names,
            )
            .chain((names) =>
              fc.record(
                Object.fromEntries(
                  names.map((name) => {
                    const any = inputs(shape.members.get(name)!.shape, depth + 1);
                    const real = Object.hasOwn(known, name) ? fc.constant(known[name]) : any;
                    return [name, fc.oneof({ arbitrary: real, weight: 9 }, { arbitrary: any, weight: 1 })];
                  }),
                ),
                { noNullPrototype: true },
              ),
            );
    default:
      return fc.constant(undefined);
  }
}

/** Something to act on; what is there already stays. */
async function furnish(aws: AwsModel): Promise<void> {
  const attempt = async (service: ServiceId, action: string, input: object) => {
    try {
      await aws.call(service, action, input);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
    }
  };
  if (aws.sqs.queues().length === 0) await attempt('sqs', 'CreateQueue', { QueueName: 'abc' });
  await attempt('sns', 'CreateTopic', { Name: 'abc' });
  await attempt('dynamodb', 'CreateTable', {
    TableName: 'abc',
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'a', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'a', KeyType: 'HASH' }],
  });
}

const services: ServiceId[] = ['sqs', 'sns', 'dynamodb', 'cloudwatch', 'cloudformation', 'sts'];
const waits = new Set(['ReceiveMessage']);

test.each(services)('%s answers any well-typed input, or says what is wrong with it', async (id) => {
  const { operations } = await loadShapes(id);
  const aws = createAws({ clock: createVirtualClock(), random: seededRandom(1) });
  await fc.assert(
    fc.asyncProperty(
      fc
        .constantFrom(...Object.keys(aws.services[id]?.operations ?? {}).filter((name) => !waits.has(name)))
        .chain((name) => fc.tuple(fc.constant(name), inputs(operations.get(name)!.input))),
      async ([name, input]) => {
        await furnish(aws);
        try {
          expect(await aws.call(id, name, (input ?? {}) as object)).toBeTypeOf('object');
        } catch (error) {
          if (!(error instanceof ServiceError)) throw error;
        }
      },
    ),
    { numRuns: Number(process.env.SLUICE_RUNS ?? 300) },
  );
  aws.stop();
});

import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createAws, createEndpoint } from '../../local/index.ts';
import { alternate, cpuOf, median, ratio } from '../measure.ts';
import type { Effort, Part } from '../part.ts';
import { batchOf } from './batch.ts';
import { type Candidate, type Effect, powertools, sluice, tables } from './candidates.ts';
import { createTape } from './tape.ts';

/** Messages in a batch: what an event source takes by default (Lambda developer guide, SQS event source). */
const batchSize = 10;

/** What `consume` costs a message, beside Powertools. */
export const runtime: Part = {
  name: 'runtime',
  description: 'what claim and completion of a message cost the function, beside Powertools for Lambda',
  async measure(effort) {
    const rows: (string | number)[][] = [];
    for (const scenario of scenarios) rows.push(await compare(scenario, effort));
    return [
      {
        title: `runtime: processor time of a message, in batches of ${batchSize}`,
        note:
          'The real SDK up to HTTP; the answers come from a recording of the model. ' +
          'Powertools: batch + idempotency on DynamoDB.\nCalls are requests to DynamoDB for each message.',
        columns: [
          '',
          'sluice, us',
          'Powertools, us',
          'sluice / Powertools',
          'sluice, calls',
          'Powertools, calls',
        ],
        rows,
      },
    ];
  },
};

interface Scenario {
  readonly name: string;
  readonly effect: Effect;
  readonly duplicate: boolean;
}

const scenarios: readonly Scenario[] = [
  { name: 'first delivery: claim and complete', effect: 'elsewhere', duplicate: false },
  { name: 'duplicate: recognized, not run', effect: 'elsewhere', duplicate: true },
  { name: 'effect in DynamoDB: commitWith / a write beside', effect: 'in DynamoDB', duplicate: false },
];

async function compare(scenario: Scenario, { quick, say }: Effort): Promise<(string | number)[]> {
  const { name, effect, duplicate } = scenario;
  const batches = quick ? 30 : 100;
  say(`runtime: ${name}`);
  const model = await startModel();
  const ours = sluice(model.url, createTape(), effect);
  const theirs = powertools(model.url, createTape(), effect);
  try {
    await record(ours, duplicate);
    await record(theirs, duplicate);
  } finally {
    await model.close();
  }
  const repeat = (candidate: Candidate) => async () => {
    const event = batchOf(batchSize, duplicate ? 2 : 1);
    const before = { handled: candidate.handled(), requests: candidate.tape.requests() };
    const us = await cpuOf(async () => {
      for (let batch = 0; batch < batches; batch++) await candidate.invoke(event);
    });
    const messages = batches * batchSize;
    const handled = candidate.handled() - before.handled;
    if (handled !== (duplicate ? 0 : messages))
      throw new Error(`${name}: the handler ran ${handled} times for ${messages} messages.`);
    return { us: us / messages, calls: (candidate.tape.requests() - before.requests) / messages };
  };
  const rounds = await alternate({ ours: repeat(ours), theirs: repeat(theirs) }, quick ? 3 : 7);
  const of = (candidate: keyof typeof rounds, figure: 'us' | 'calls') =>
    rounds[candidate].map((round) => round[figure]);
  return [
    name,
    median(of('ours', 'us')),
    median(of('theirs', 'us')),
    ratio(of('ours', 'us'), of('theirs', 'us')),
    median(of('ours', 'calls')),
    median(of('theirs', 'calls')),
  ];
}

/** Records what the model answers; for a duplicate, what it answers when the batch was done before. */
async function record({ tape, invoke }: Candidate, duplicate: boolean): Promise<void> {
  await tape.record(() => invoke(batchOf(batchSize, 1)));
  if (duplicate) await tape.record(() => invoke(batchOf(batchSize, 2)));
  tape.handler.destroy();
}

/** The model that answers while tapes are recorded. */
async function startModel(): Promise<{ readonly url: string; close(): Promise<void> }> {
  let stop = () => {};
  const endpoint = await createEndpoint(
    (url) => {
      const aws = createAws({ endpoint: url });
      stop = aws.stop;
      return aws;
    },
    { port: 0 },
  );
  const client = new DynamoDBClient({
    endpoint: endpoint.url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
  for (const [TableName, key] of [
    [tables.sluice, 'pk'],
    [tables.effects, 'pk'],
    [tables.powertools, 'id'],
  ] as const)
    await client.send(
      new CreateTableCommand({
        TableName,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [{ AttributeName: key, AttributeType: 'S' }],
        KeySchema: [{ AttributeName: key, KeyType: 'HASH' }],
      }),
    );
  client.destroy();
  return {
    url: endpoint.url,
    async close() {
      stop();
      await endpoint.close();
    },
  };
}

import { GetMetricStatisticsCommand } from '@aws-sdk/client-cloudwatch';
import { minutes, toMilliseconds } from '../../lib/base/index.ts';
import { modelClient } from '../../local/index.ts';
import { goalCells, type Judged, judged } from '../goal.ts';
import type { Part } from '../part.ts';
import { batchOf } from '../runtime/batch.ts';
import type { Backend, Candidate, Effect } from '../runtime/candidates.ts';
import { type BenchModel, createModel } from '../runtime/model.ts';
import { tables } from '../runtime/names.ts';
import type { Send } from '../runtime/tape.ts';

/** Messages in a batch: what an event source takes by default (Lambda developer guide, SQS event source). */
const batchSize = 10;
/** How often a message is tried before it is dead-lettered: the declaration's default. */
const attempts = 5;

/** A delivery of the whole batch. */
interface Delivery {
  /** Whether the handler throws. */
  readonly fails?: boolean;
}

interface Life {
  readonly name: string;
  readonly effect: Effect;
  /** What happened before, and is not counted. */
  readonly before?: readonly Delivery[];
  readonly deliveries: readonly Delivery[];
  /** Most calls of ours over theirs. */
  readonly calls?: number;
}

const once: readonly Delivery[] = [{}];
const retried: readonly Delivery[] = [{ fails: true }, {}];
const deadLettered: readonly Delivery[] = Array.from({ length: attempts }, () => ({ fails: true }));

const lives: readonly Life[] = [
  { name: 'first delivery', effect: 'elsewhere', deliveries: once, calls: 0.3 },
  { name: 'duplicate: delivered again', effect: 'elsewhere', before: once, deliveries: once },
  { name: 'a failed try, then done', effect: 'elsewhere', deliveries: retried },
  { name: `dead letter after ${attempts} tries`, effect: 'elsewhere', deliveries: deadLettered },
  { name: 'first delivery, commitWith', effect: 'commitWith', deliveries: once, calls: 0.3 },
  { name: 'duplicate, commitWith', effect: 'commitWith', before: once, deliveries: once },
  { name: 'a failed try, then done, commitWith', effect: 'commitWith', deliveries: retried },
  {
    name: `dead letter after ${attempts} tries, commitWith`,
    effect: 'commitWith',
    deliveries: deadLettered,
  },
  { name: 'first delivery, transactional', effect: 'returned', deliveries: once, calls: 0.3 },
  { name: 'duplicate, transactional', effect: 'returned', before: once, deliveries: once },
  { name: 'a failed try, then done, transactional', effect: 'returned', deliveries: retried },
  {
    name: `dead letter after ${attempts} tries, transactional`,
    effect: 'returned',
    deliveries: deadLettered,
  },
];

/** What a message costs in DynamoDB, beside Powertools. Counted, so the same in each run. */
export const calls: Part = {
  name: 'calls',
  description: 'calls to DynamoDB and write units of a message over its life, beside Powertools for Lambda',
  async measure({ say }) {
    say('calls: counting in the model');
    const { sluice, powertools } = await import('../runtime/candidates.ts');
    const rows: (string | number)[][] = [];
    const goals: Judged[] = [];
    for (const life of lives) {
      const ours = await costOf(life, sluice, [tables.sluice, tables.effects]);
      const theirs = await costOf(life, powertools, [tables.powertools, tables.effects]);
      const units = judged(`write units, ${life.name}, of Powertools`, ours.writes / theirs.writes, 1);
      const fewer =
        life.calls === undefined
          ? undefined
          : judged(`calls, ${life.name}, of Powertools`, ours.calls / theirs.calls, life.calls);
      goals.push(...(fewer === undefined ? [units] : [fewer, units]));
      rows.push([
        life.name,
        ours.calls,
        theirs.calls,
        ours.calls / theirs.calls,
        ...goalCells(fewer),
        ours.writes,
        theirs.writes,
        ours.writes / theirs.writes,
        ...goalCells(units),
      ]);
    }
    return [
      {
        title: `calls: DynamoDB, for each message, in batches of ${batchSize}`,
        note:
          'Counted by the model: a write of up to 1 KB is one unit, in a transaction two, and a condition that fails is paid ' +
          'too.\nPowertools: batch + idempotency. Where ours commits effect and record together (commitWith, transactional), its handler ' +
          'writes\nthe effect beside the record: fewer units, and repeated after a crash between the two.',
        columns: [
          '',
          'calls: sluice',
          'Powertools',
          'ratio',
          'goal',
          '',
          'write units: sluice',
          'Powertools',
          'ratio',
          'goal',
          '',
        ],
        rows,
        goals,
      },
    ];
  },
};

interface Cost {
  readonly calls: number;
  readonly writes: number;
}

async function costOf(
  life: Life,
  make: (backend: Backend, effect: Effect) => Candidate,
  names: readonly string[],
): Promise<Cost> {
  const model = await createModel();
  let count = 0;
  const send: Send = (command) => {
    count += 1;
    return model.send(command);
  };
  const candidate = make({ send }, life.effect);
  let receives = 0;
  const deliver = async (deliveries: readonly Delivery[]) => {
    for (const { fails = false } of deliveries) {
      receives += 1;
      await candidate.invoke(batchOf(batchSize, receives), fails);
    }
  };
  try {
    await deliver(life.before ?? []);
    const unitsBefore = await writeUnits(model, names);
    count = 0;
    await deliver(life.deliveries);
    return {
      calls: count / batchSize,
      writes: ((await writeUnits(model, names)) - unitsBefore) / batchSize,
    };
  } finally {
    model.aws.stop();
  }
}

/** Write units of tables since the model began, as its CloudWatch has them. */
async function writeUnits({ aws, clock }: BenchModel, names: readonly string[]): Promise<number> {
  // A minute of metrics is published when it is over.
  await clock.advance(toMilliseconds(minutes(2)));
  const cloudwatch = modelClient(aws, 'cloudwatch');
  const sums = await Promise.all(
    names.map(async (TableName) => {
      const { Datapoints } = await cloudwatch.send(
        new GetMetricStatisticsCommand({
          Namespace: 'AWS/DynamoDB',
          MetricName: 'ConsumedWriteCapacityUnits',
          Dimensions: [{ Name: 'TableName', Value: TableName }],
          StartTime: new Date(clock.now() - toMilliseconds(minutes(60))),
          EndTime: new Date(clock.now()),
          Period: 3600,
          Statistics: ['Sum'],
        }),
      );
      return (Datapoints ?? []).reduce((sum, { Sum }) => sum + (Sum ?? 0), 0);
    }),
  );
  return sums.reduce((sum, units) => sum + units, 0);
}

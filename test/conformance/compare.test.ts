import { describe, expect, it } from 'vitest';
import { createAws, createEndpoint, type Dispatcher } from '../../local/index.ts';
import { compare } from './compare/index.ts';

/** Compares the model with itself, or with what `spoil` makes of it. */
async function compareWith(spoil: (aws: Dispatcher) => Dispatcher, kind: string, runs: number) {
  let stop = () => {};
  const endpoint = await createEndpoint(
    (url) => {
      const aws = createAws({ endpoint: url });
      stop = aws.stop;
      return spoil(aws);
    },
    { port: 0 },
  );
  const told: string[] = [];
  try {
    const disagreeing = await compare('moto', endpoint.url, {
      kind,
      runs,
      seed: 5,
      services: ['sqs', 'dynamodb'],
      say: (line) => told.push(line),
      signal: new AbortController().signal,
    });
    return { disagreeing, told: told.join('\n') };
  } finally {
    stop();
    await endpoint.close();
  }
}

/** A server whose action gets another input. */
const withInput =
  (action: string, change: (input: Record<string, unknown>) => Record<string, unknown>) =>
  (aws: Dispatcher): Dispatcher => ({
    ...aws,
    call: (service, name, input, ...more) =>
      aws.call(service, name, name === action ? change(input as Record<string, unknown>) : input, ...more),
  });

describe('random sequences on the model and beside it', () => {
  it.each([
    ['items', 8],
    ['transactions', 8],
  ])('%s: the model does not part with itself', async (kind, runs) => {
    const { disagreeing, told } = await compareWith((aws) => aws, kind, runs);
    expect(told).toMatch(new RegExp(`^${kind}: ${runs} sequences, .*, seed 5$`));
    expect(disagreeing).toBe(0);
  });

  it('a server that forgets conditions is found out, in few steps, with the words to see it again', async () => {
    const forgetful = withInput(
      'PutItem',
      ({ ConditionExpression: _, ExpressionAttributeValues: __, ...rest }) => rest,
    );
    const { disagreeing, told } = await compareWith(forgetful, 'items', 40);
    expect(disagreeing).toBe(1);
    expect(told).toMatch(
      /They part:\n(.*\n){1,3}\s+model: ConditionalCheckFailedException.*\n\s+moto: nothing/,
    );
    expect(told).toMatch(
      /again: npm run conformance -- --compare moto --kind items --seed 5 --path [\d:]+ --runs 1/,
    );
  });
});

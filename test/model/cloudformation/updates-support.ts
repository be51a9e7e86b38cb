import { milliseconds, seededRandom } from '../../../lib/base/index.ts';
import { createVirtualClock } from '../../../local/clock.ts';
import {
  type DeploymentServices,
  type Made,
  type Properties,
  type ProviderContext,
  physicalName,
} from '../../../local/cloudformation/provider.ts';
import { providers } from '../../../local/cloudformation/providers/index.ts';
import { createCloudWatch } from '../../../local/cloudwatch/index.ts';
import { createDynamoDb } from '../../../local/dynamodb/index.ts';
import { createEcr } from '../../../local/ecr/index.ts';
import { createIamStore } from '../../../local/iam/index.ts';
import { createKms } from '../../../local/kms/index.ts';
import { createLambda, type Executor, inProcessExecutor } from '../../../local/lambda/index.ts';
import { createS3 } from '../../../local/s3/index.ts';
import type { ModelContext } from '../../../local/service.ts';
import { createSns } from '../../../local/sns/index.ts';
import { createSqs } from '../../../local/sqs/index.ts';
import { createSsm } from '../../../local/ssm/index.ts';

/**
 * An account with the real services of the model, and the providers one by one: a function answers with the folder of
 * its code and its variables, which is all that a test needs to know which of them ran.
 */
export function world(options: { readonly executor?: Executor } = {}) {
  const clock = createVirtualClock(milliseconds(0));
  const context: ModelContext = {
    clock,
    random: seededRandom(1),
    account: '000000000000',
    region: 'us-east-1',
    endpoint: 'http://127.0.0.1:4566',
    metrics: { count: () => undefined, gauge: () => () => undefined },
  };
  const kms = createKms(context);
  const { keys } = kms;
  const sqs = createSqs(context, { keys });
  const ran: { readonly folder: string | undefined; readonly event: unknown }[] = [];
  const executor =
    options.executor ??
    inProcessExecutor({
      clock,
      handlers: (configuration) => async (event) => {
        ran.push({ folder: configuration.codeFolder, event });
        return { folder: configuration.codeFolder, variables: configuration.variables };
      },
    });
  const lambda = createLambda(context, { sqs, executor, keys });
  const services = {
    sqs,
    sns: createSns(context, sqs, { keys }),
    dynamodb: createDynamoDb(context, { keys }),
    kms,
    cloudwatch: createCloudWatch(context, () => undefined),
    lambda,
    s3: createS3(context),
    ssm: createSsm(context),
    ecr: createEcr(context),
  } satisfies DeploymentServices;
  const iam = createIamStore();
  const warnings: string[] = [];
  const contextOf = (logicalId: string): ProviderContext => ({
    context,
    services,
    iam,
    stackName: 'Shop',
    logicalId,
    name: (limit, suffix) => physicalName(context.random, 'Shop', logicalId, limit, suffix),
    others: () => [],
    warn: (message) => warnings.push(message),
  });
  const provider = (type: string) => providers[type]!;

  return {
    clock,
    context,
    services,
    iam,
    warnings,
    ran,
    create: (type: string, properties: Properties = {}, logicalId = 'It'): Promise<Made> =>
      provider(type).create(properties, contextOf(logicalId)),
    update: (type: string, made: Made, before: Properties, after: Properties): Promise<Made> =>
      provider(type).update!(made, before, after, contextOf('It')),
    remove: (type: string, made: Made, properties: Properties = {}): Promise<void> =>
      provider(type).delete(made, properties, contextOf('It')),
    async call<Output = Record<string, unknown>>(
      service: keyof typeof services,
      action: string,
      input: object = {},
    ): Promise<Output> {
      const operations: DeploymentServices['sqs']['operations'] = services[service].operations;
      return (await operations[action]!(input, {})) as Output;
    },
    stop: () => lambda.stop(),
  };
}

export type World = ReturnType<typeof world>;

/** Runs something in an account of its own. */
export async function inWorld<Result>(
  run: (world: World) => Promise<Result>,
  options: Parameters<typeof world>[0] = {},
): Promise<Result> {
  const account = world(options);
  try {
    return await run(account);
  } finally {
    account.stop();
  }
}

export const queueArn = (name: string) => `arn:aws:sqs:us-east-1:000000000000:${name}`;
export const topicArn = (name: string) => `arn:aws:sns:us-east-1:000000000000:${name}`;
export const queueUrl = (name: string) => `http://127.0.0.1:4566/000000000000/${name}`;

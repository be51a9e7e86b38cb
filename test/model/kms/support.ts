import { milliseconds, seededRandom } from '../../../lib/base/index.ts';
import { createVirtualClock } from '../../../local/clock.ts';
import { createAws, type Letter } from '../../../local/index.ts';
import { inProcessExecutor } from '../../../local/lambda/index.ts';
import type { Principal, ServiceId } from '../../../local/service.ts';

export const account = '000000000000';
export const root = `arn:aws:iam::${account}:root`;
export const roleArn = (name: string) => `arn:aws:iam::${account}:role/${name}`;
export const topicArn = (name: string) => `arn:aws:sns:us-east-1:${account}:${name}`;
export const queueArn = (name: string) => `arn:aws:sqs:us-east-1:${account}:${name}`;

export interface Statement {
  readonly Sid?: string;
  readonly Effect?: 'Allow' | 'Deny';
  readonly Principal: unknown;
  readonly Action: string | readonly string[];
  readonly Resource?: string;
  readonly Condition?: unknown;
}

/** A policy document from statements that allow everything that they do not say otherwise. */
export const policy = (...statements: readonly Statement[]): string =>
  JSON.stringify({
    Version: '2012-10-17',
    Statement: statements.map((statement) => ({ Effect: 'Allow', Resource: '*', ...statement })),
  });

/** The account decides, as in the default policy of a key. */
export const accountDecides: Statement = { Principal: { AWS: root }, Action: 'kms:*' };

/** What a service needs that sends to something encrypted. */
export const service = (name: string, Condition?: unknown): Statement => ({
  Principal: { Service: `${name}.amazonaws.com` },
  Action: ['kms:GenerateDataKey*', 'kms:Decrypt'],
  ...(Condition === undefined ? {} : { Condition }),
});

/** The whole model on a virtual clock. */
export function world() {
  const clock = createVirtualClock(milliseconds(Date.UTC(2026, 0, 1)));
  const letters: Letter[] = [];
  const aws = createAws({
    clock,
    random: seededRandom(3),
    mail: (letter) => letters.push(letter),
    executor: () =>
      inProcessExecutor({
        clock,
        handlers:
          ({ variables }) =>
          async () => ({ secret: variables.SECRET }),
      }),
  });
  const call = async <Output = Record<string, unknown>>(
    id: ServiceId,
    action: string,
    input: object,
    principal?: Principal,
  ): Promise<Output> =>
    (await aws.services[id]!.operations[action]!(
      input,
      principal === undefined ? {} : { principal },
    )) as Output;

  return {
    aws,
    clock,
    letters,
    call,
    /** A key with this policy; its ARN. */
    async key(...statements: readonly Statement[]): Promise<string> {
      const { KeyMetadata } = await call<{ KeyMetadata: { Arn: string } }>('kms', 'CreateKey', {
        Policy: policy(...(statements.length === 0 ? [accountDecides] : statements)),
      });
      return KeyMetadata.Arn;
    },
    /** A role that may do this with every resource. */
    role(name: string, ...actions: readonly string[]): Principal {
      const arn = roleArn(name);
      aws.iam.store.addRole({
        name,
        arn,
        assumeRolePolicy: {
          Version: '2012-10-17',
          Statement: [
            {
              Effect: 'Allow',
              Action: 'sts:AssumeRole',
              Principal: { Service: 'lambda.amazonaws.com' },
            },
          ],
        },
        policies: new Map([
          [
            'own',
            { Version: '2012-10-17', Statement: [{ Effect: 'Allow', Action: actions, Resource: '*' }] },
          ],
        ]),
        managedPolicyArns: new Set(),
      });
      return { role: arn, session: name };
    },
    /** A queue to which every topic may send; its URL. */
    async queue(QueueName: string, attributes: Readonly<Record<string, string>> = {}): Promise<string> {
      const { QueueUrl } = await call<{ QueueUrl: string }>('sqs', 'CreateQueue', {
        QueueName,
        Attributes: {
          Policy: policy({ Principal: { Service: 'sns.amazonaws.com' }, Action: 'sqs:SendMessage' }),
          ...attributes,
        },
      });
      return QueueUrl;
    },
    async topic(Name: string, attributes: Readonly<Record<string, string>> = {}): Promise<string> {
      await call('sns', 'CreateTopic', { Name, Attributes: attributes });
      return topicArn(Name);
    },
    bodies: (queue: string) => aws.sqs.messages(queueArn(queue)).map(({ body }) => body),
  };
}

export type World = ReturnType<typeof world>;

/** Runs a test in a model of its own. */
export async function inWorld(run: (world: World) => Promise<void>): Promise<void> {
  const own = world();
  try {
    await run(own);
  } finally {
    own.aws.stop();
  }
}

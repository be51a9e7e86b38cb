import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CloudAssembly, Template } from '../../../local/cloudformation/index.ts';
import { play, synthesizeOrders } from './orders-support.ts';

interface Statement {
  readonly Sid?: string;
  readonly Action: string | readonly string[];
}
interface Resource {
  readonly Type: string;
  DependsOn?: unknown;
  readonly Properties: {
    readonly PolicyDocument: { Statement: Statement[] };
    readonly KeyPolicy: { Statement: Statement[] };
  };
}

let underKey: CloudAssembly;
let remove = () => {};
beforeAll(() => {
  ({ assembly: underKey, remove } = synthesizeOrders({ encryption: 'customerKey' }));
}, 60_000);
afterAll(() => remove());

const of = (template: Template, type: string) =>
  Object.values(template.Resources ?? {}).filter(({ Type }) => Type === type) as unknown as Resource[];

const policiesOf = ({ stacks }: CloudAssembly) =>
  ['AWS::IAM::Policy', 'AWS::SQS::QueuePolicy', 'AWS::SNS::TopicPolicy'].map((type) =>
    of(stacks[0]?.template as Template, type).map(({ Properties }) => Properties.PolicyDocument),
  );

/** The template without an action in the roles. */
const without = (action: string) => (template: Template) => {
  for (const { Properties } of of(template, 'AWS::IAM::Policy')) {
    const { PolicyDocument } = Properties;
    PolicyDocument.Statement = PolicyDocument.Statement.map((statement) => ({
      ...statement,
      Action: [statement.Action].flat().filter((each) => each !== action),
    })).filter(({ Action }) => Action.length > 0);
  }
  return template;
};

/** The template without statements of the key's policy, or of the policies of queues. */
const withoutSids =
  (...sids: readonly string[]) =>
  (template: Template) => {
    for (const { Properties } of of(template, 'AWS::KMS::Key'))
      Properties.KeyPolicy.Statement = Properties.KeyPolicy.Statement.filter(
        ({ Sid }) => !sids.includes(Sid ?? ''),
      );
    for (const { Properties } of of(template, 'AWS::SQS::QueuePolicy')) {
      const { PolicyDocument } = Properties;
      PolicyDocument.Statement = PolicyDocument.Statement.filter(({ Sid }) => !sids.includes(Sid ?? ''));
    }
    return template;
  };

const nothing = { charges: 0, mails: 0, assessed: 0 };

describe('the orders stack under a key of its own', () => {
  it('runs with the rights that its template gives', async () => {
    const { failure, denied, left, effects } = await play(underKey, (template) => template);
    expect({ failure, denied, left, effects }).toEqual({
      ...{ failure: undefined, denied: [], left: 0 },
      effects: { charges: 4, mails: 4, assessed: 4 },
    });
  });

  it('has no function that starts, and loses nothing, when its roles may not decrypt', async () => {
    const { left, effects, failure } = await play(underKey, without('kms:Decrypt'));
    expect(effects).toEqual(nothing);
    // It is deployed all the same, or says which right is missing.
    if (failure === undefined) expect(left).toBeGreaterThanOrEqual(5);
    else expect(failure).toMatch(/kms:Decrypt/);
  });

  it('keeps what cannot be encrypted for the dead-letter queue', async () => {
    const { left, denied, errors } = await play(underKey, without('kms:GenerateDataKey'));
    expect(left).toBe(5);
    expect(denied.every((sentence) => sentence.includes('kms:GenerateDataKey'))).toBe(true);
    expect(errors.filter((line) => line.startsWith('A right is missing')).join('\n')).toContain(
      'kms:GenerateDataKey',
    );
  });

  it('delivers nothing when the key does not let SNS use it', async () => {
    const { effects } = await play(underKey, withoutSids('AllowTopics'));
    expect(effects).toEqual(nothing);
  });

  it('is not deployed when the key does not let CloudWatch Logs use it', async () => {
    const { failure } = await play(underKey, withoutSids('AllowLogs'));
    expect(failure).toMatch(/The specified KMS key does not exist or is not allowed to be used/);
  });

  it('delivers nothing when the queues do not let the topic', async () => {
    expect((await play(underKey, withoutSids('AllowTopic'))).effects).toEqual(nothing);
  });
});

describe('stages', () => {
  it('differ in what becomes of things, and not in who may do what', () => {
    const [dev, prod] = (['dev', 'prod'] as const).map((stage) => {
      const made = synthesizeOrders({ stage });
      made.remove();
      return policiesOf(made.assembly);
    });
    expect(dev).toEqual(prod);
  }, 60_000);
});

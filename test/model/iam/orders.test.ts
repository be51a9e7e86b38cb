import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CloudAssembly, Template } from '../../../local/cloudformation/index.ts';
import { play, synthesizeOrders } from './orders-support.ts';

interface Statement {
  readonly Action: string | readonly string[];
}
interface PolicyResource {
  readonly Type: string;
  readonly Properties: { readonly PolicyDocument: { Statement: Statement[] } };
}

let assembly: CloudAssembly;
let remove = () => {};
beforeAll(() => {
  ({ assembly, remove } = synthesizeOrders());
});
afterAll(() => remove());

const rolePolicies = (template: Template) =>
  Object.values(template.Resources ?? {}).filter(
    ({ Type }) => Type === 'AWS::IAM::Policy',
  ) as unknown as PolicyResource[];

const isAbout = (wanted: readonly string[]) => (statement: Statement) =>
  [statement.Action].flat().some((action) => wanted.includes(String(action)));

/** The template without the statements that hold one of the actions. */
const without =
  (...actions: string[]) =>
  (template: Template): Template => {
    for (const { Properties } of rolePolicies(template)) {
      const { PolicyDocument } = Properties;
      PolicyDocument.Statement = PolicyDocument.Statement.filter((statement) => !isAbout(actions)(statement));
    }
    return template;
  };

/** The functions whose calls were refused, and of what. */
const refusedOf = (denied: readonly string[], action: string): readonly string[] =>
  denied
    .filter((message) => message.includes(` ${action} `))
    .map((message) => /assumed-role\/Orders-(\w+?)Subscriber/.exec(message)?.[1] ?? message)
    .sort();

/**
 * Every kind of statement that roles of the orders stack hold, by one of its actions. That on the logs is for Lambda
 * itself: the model keeps no logs, and nothing asks for it.
 */
const kinds = {
  logs: 'logs:PutLogEvents',
  queue: 'sqs:ReceiveMessage',
  deadLetters: 'sqs:SendMessage',
  records: 'dynamodb:PartiQLInsert',
} as const;
const all = ['Analytics', 'Email', 'Fraud', 'Inventory', 'Payments'];

describe('the orders stack runs under the policies of its roles', () => {
  it('and needs nothing that they do not allow', async () => {
    const run = await play(assembly, (template) => template);
    expect(run).toEqual({
      failure: undefined,
      denied: [],
      left: 0,
      effects: { charges: 4, mails: 4, assessed: 4 },
    });
  });

  it('whose statements are of the kinds that are taken away here, one after the other', () => {
    for (const { Properties } of rolePolicies(assembly.stacks[0]?.template as Template))
      for (const statement of Properties.PolicyDocument.Statement) {
        const isOfTable = statement.Action === 'dynamodb:UpdateItem';
        expect(isOfTable || isAbout(Object.values(kinds))(statement), JSON.stringify(statement)).toBe(true);
      }
  });

  it('is not deployed when a function may not receive from its queue', async () => {
    const { failure } = await play(assembly, without(kinds.queue));
    expect(failure).toMatch(/execution role does not have permissions to call ReceiveMessage on SQS/);
  });

  it('fails in every function that may not write to its dead-letter queue', async () => {
    const { denied, left } = await play(assembly, without(kinds.deadLetters));
    expect(refusedOf(denied, 'sqs:sendmessage')).toEqual(all);
    expect(left).toBe(5);
  });

  it('fails in every function that may not write records', async () => {
    const { denied, effects } = await play(assembly, without(kinds.records));
    expect(refusedOf(denied, 'dynamodb:PartiQLInsert')).toEqual(all);
    expect(refusedOf(denied, 'dynamodb:PutItem')).toEqual(['Analytics', 'Inventory']);
    expect(effects).toEqual({ charges: 0, mails: 0, assessed: 0 });
  });

  it('fails in the functions that may not write their own tables', async () => {
    const { denied } = await play(assembly, (template) => {
      for (const { Properties } of rolePolicies(template)) {
        const { PolicyDocument } = Properties;
        PolicyDocument.Statement = PolicyDocument.Statement.filter(
          ({ Action }) => Action !== 'dynamodb:UpdateItem',
        );
      }
      return template;
    });
    expect(refusedOf(denied, 'dynamodb:UpdateItem')).toEqual(['Analytics', 'Inventory']);
  });

  it('delivers nothing to queues whose policy is gone', async () => {
    const { effects, denied } = await play(assembly, (template) => {
      for (const [id, { Type }] of Object.entries(template.Resources ?? {}))
        if (Type === 'AWS::SQS::QueuePolicy') delete (template.Resources as Record<string, unknown>)[id];
      for (const resource of Object.values(template.Resources ?? {}))
        delete (resource as { DependsOn?: unknown }).DependsOn;
      return template;
    });
    expect(effects).toEqual({ charges: 0, mails: 0, assessed: 0 });
    expect(denied).toEqual([]);
  });
});

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
}, 60_000);
afterAll(() => remove());

const rolePolicies = (template: Template) =>
  Object.values(template.Resources ?? {}).filter(
    ({ Type }) => Type === 'AWS::IAM::Policy',
  ) as unknown as PolicyResource[];

/** The template in whose roles some actions are not allowed. */
const without =
  (...actions: string[]) =>
  (template: Template): Template => {
    for (const { Properties } of rolePolicies(template)) {
      const { PolicyDocument } = Properties;
      PolicyDocument.Statement = PolicyDocument.Statement.map((statement) => ({
        ...statement,
        Action: [statement.Action].flat().filter((action) => !actions.includes(action)),
      })).filter(({ Action }) => Action.length > 0);
    }
    return template;
  };

/** The functions whose calls were refused, and of what. */
const refusedOf = (denied: readonly string[], action: string): readonly string[] =>
  denied
    .filter((message) => message.includes(` ${action} `))
    .map((message) => /assumed-role\/Orders-(\w+?)Subscriber/.exec(message)?.[1] ?? message)
    .sort();

const all = ['Analytics', 'Email', 'Fraud', 'Inventory', 'Payments'];

/** Some rights of the logs are for Lambda itself: the model keeps no logs, and nothing asks for them. */
const unasked = ['logs:CreateLogStream', 'logs:PutLogEvents'];

/**
 * Every action that roles of the orders stack hold, and the functions that are refused when it is gone. Who else holds
 * it sends it on days that this run does not have: test/model/iam/needs.test.ts has them all.
 */
const refusals: Readonly<Record<string, readonly string[]>> = {
  'sqs:ChangeMessageVisibility': ['Email', 'Fraud', 'Payments'],
  'sqs:SendMessage': all,
  'dynamodb:BatchGetItem': ['Email', 'Payments'],
  'dynamodb:GetItem': [],
  'dynamodb:PartiQLInsert': ['Email', 'Fraud', 'Payments'],
  'dynamodb:PartiQLUpdate': ['Email', 'Fraud', 'Payments'],
  'dynamodb:PutItem': ['Analytics', 'Inventory'],
  'dynamodb:UpdateItem': ['Analytics', 'Inventory', 'Payments'],
};
const polling = ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'];

describe('the orders stack runs under the policies of its roles', () => {
  it('and needs nothing that they do not allow', async () => {
    const { errors, ...run } = await play(assembly, (template) => template);
    expect(errors.filter((line) => !line.startsWith('A message was dead-lettered'))).toEqual([]);
    expect(run).toEqual({
      failure: undefined,
      denied: [],
      left: 0,
      effects: { charges: 4, mails: 4, assessed: 4 },
    });
  });

  it('which hold no action that is not taken away here, one after the other', () => {
    const held = rolePolicies(assembly.stacks[0]?.template as Template).flatMap(({ Properties }) =>
      Properties.PolicyDocument.Statement.flatMap(({ Action }) => Action),
    );
    expect([...new Set(held)].sort()).toEqual([...Object.keys(refusals), ...polling, ...unasked].sort());
  });

  it.each(polling)('is not deployed without %s, and says that and nothing else', async (action) => {
    const { failure } = await play(assembly, without(action));
    expect(failure).toMatch(
      new RegExp(`execution role does not have permissions to call ${action.slice(4)} on SQS$`),
    );
    // The tables are protected and retained: nobody tried to remove them.
    expect(failure).not.toContain('could not be removed');
  });

  it.each(Object.entries(refusals))(
    'without %s it loses nothing, and says why',
    async (action, functions) => {
      const { denied, errors, failure, left } = await play(assembly, without(action));
      const name = action.startsWith('sqs:') ? action.toLowerCase() : action;
      expect(failure).toBeUndefined();
      // What is no event stays where it is when it cannot be set aside.
      if (action === 'sqs:SendMessage') expect(left).toBe(5);
      expect([...new Set(refusedOf(denied, name))]).toEqual(functions);
      for (const sentence of denied.filter((message) => message.includes(` ${name} `)))
        expect(errors.filter((line) => line.includes('A right is missing')).join('\n')).toContain(sentence);
    },
  );

  it('has no effect at all where records cannot be written', async () => {
    const { effects } = await play(assembly, without('dynamodb:PartiQLInsert', 'dynamodb:PutItem'));
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

import type { AddPermissionCommandInput } from '@aws-sdk/client-sqs';
import { invalidValue, missingParameter } from './errors.ts';
import type { Queue } from './queue.ts';

const ACTIONS = [
  '*',
  'SendMessage',
  'ReceiveMessage',
  'DeleteMessage',
  'ChangeMessageVisibility',
  'GetQueueAttributes',
  'GetQueueUrl',
  'ListDeadLetterSourceQueues',
  'PurgeQueue',
];

interface Document {
  readonly Statement?: unknown;
  readonly [member: string]: unknown;
}

const documentOf = (queue: Queue): Document => {
  const text = queue.attributes.get('Policy');
  return text === undefined
    ? { Version: '2008-10-17', Id: `${queue.arn}/SQSDefaultPolicy`, Statement: [] }
    : JSON.parse(text);
};

const statementsOf = (document: Document): readonly unknown[] =>
  document.Statement === undefined
    ? []
    : Array.isArray(document.Statement)
      ? document.Statement
      : [document.Statement];

const hasLabel = (statement: unknown, label: string) =>
  typeof statement === 'object' && statement !== null && 'Sid' in statement && statement.Sid === label;

const oneOrMany = (items: readonly string[]) => (items.length === 1 ? items[0] : items);

/** The queue's policy with one more statement, as AddPermission writes it. */
export function addPermission(queue: Queue, input: AddPermissionCommandInput): string {
  const { Label: label, AWSAccountIds: accounts = [], Actions: actions = [] } = input;
  if (label === undefined || label === '') throw missingParameter('Label');
  if (accounts.length === 0) throw missingParameter('AWSAccountIds');
  if (actions.length === 0) throw missingParameter('Actions');
  for (const action of actions) {
    if (ACTIONS.includes(action)) continue;
    throw invalidValue(
      `SQS:${action}`,
      'ActionName',
      'Please refer to the appropriate WSDL for a list of valid actions. ',
    );
  }
  const document = documentOf(queue);
  const statements = statementsOf(document);
  if (statements.some((statement) => hasLabel(statement, label))) {
    throw invalidValue(label, 'Label', 'Already exists.');
  }
  const statement = {
    Sid: label,
    Effect: 'Allow',
    Principal: { AWS: oneOrMany(accounts.map((account) => `arn:aws:iam::${account}:root`)) },
    Action: oneOrMany(actions.map((action) => `SQS:${action}`)),
    Resource: queue.arn,
  };
  return JSON.stringify({ ...document, Statement: [...statements, statement] });
}

/** The queue's policy without the statement of this label; `undefined` when nothing is left of it. */
export function removePermission(queue: Queue, label: string | undefined): string | undefined {
  if (label === undefined || label === '') throw missingParameter('Label');
  const document = documentOf(queue);
  const statements = statementsOf(document);
  const rest = statements.filter((statement) => !hasLabel(statement, label));
  if (rest.length === statements.length) throw invalidValue(label, 'Label', "can't find label.");
  return rest.length === 0 ? undefined : JSON.stringify({ ...document, Statement: rest });
}

import type { ServerName } from '../../servers/names.ts';
import type { Observation, Step } from './observe.ts';

/** Where a sequence met a difference. */
export interface Met {
  readonly step: Step;
  readonly model: Observation;
  readonly other: Observation;
  /** The steps before it. */
  readonly before: readonly Step[];
}

/** A difference of a server that is known: a sequence that meets it says nothing new from there on. */
export interface Known {
  readonly servers: readonly ServerName[];
  readonly kinds: readonly string[];
  /** What it is, in a line. */
  readonly what: string;
  /** The case that shows it, where one does. */
  readonly caseId?: string;
  readonly holds: (met: Met) => boolean;
}

const isRefusal = (observation: Observation, name: string) => observation.startsWith(name);

/** An expression that is refused as it stands, whatever lies in the table. */
const neverValid = (update: unknown): boolean => update === 'SET pk = :s' || update === 'SET n = :n, n = :n';

/** What is known of the servers. */
export const known: readonly Known[] = [
  {
    servers: ['ministack'],
    kinds: ['standard', 'fifo'],
    what: 'the handle of a message that is gone is ReceiptHandleIsInvalid: a repeated delete fails, a change of visibility fails under another name',
    caseId: 'compared/repeated-delete-is-no-error',
    holds: ({ step, other }) =>
      (step.op === 'delete' || step.op === 'hide') && isRefusal(other, 'ReceiptHandleIsInvalid'),
  },
  {
    servers: ['localstack'],
    kinds: ['standard', 'fifo'],
    what: 'the handle of an earlier receive still changes the visibility of a message that was received again; AWS documents that the latest handle counts, and not what the others do',
    holds: ({ step, model, other }) =>
      step.op === 'hide' && isRefusal(model, 'InvalidParameterValue') && other === '"hidden"',
  },
  {
    servers: ['localstack', 'ministack'],
    kinds: ['fifo'],
    what: 'on a FIFO queue a handle whose visibility has ended still deletes',
    caseId: 'compared/fifo-handle-expires-with-its-visibility',
    holds: ({ step, model, other }) =>
      step.op === 'delete' && isRefusal(model, 'InvalidParameterValue') && other === '"deleted"',
  },
  {
    servers: ['localstack', 'dynamodb-local'],
    kinds: ['items'],
    what: 'UPDATED_NEW and UPDATED_OLD of an element of a list give the whole list; AWS documents the updated attributes alone, and is silent on elements',
    holds: ({ step, model, other }) =>
      /^UPDATED_/.test(String(step.returned)) &&
      /^(SET|REMOVE) l\[/.test(String(step.update)) &&
      model.startsWith('{') &&
      other.startsWith('{'),
  },
  {
    servers: ['ministack'],
    kinds: ['items', 'transactions'],
    what: 'two changes of one path in an update are taken',
    caseId: 'compared/one-path-twice-in-an-update-is-refused',
    holds: ({ step, model }) =>
      isRefusal(model, 'ValidationException') && step.update === 'SET n = :n, n = :n',
  },
  {
    servers: ['localstack', 'dynamodb-local', 'ministack'],
    kinds: ['items'],
    what: 'an update that is never valid is refused only when its condition holds',
    caseId: 'compared/update-of-the-key-is-refused-before-its-condition',
    holds: ({ step, model, other }) =>
      neverValid(step.update) &&
      isRefusal(model, 'ValidationException') &&
      isRefusal(other, 'ConditionalCheckFailedException'),
  },
  {
    servers: ['ministack'],
    kinds: ['items', 'transactions'],
    what: 'a path whose parents are not there is taken',
    caseId: 'dynamodb-updates/no-such-place',
    holds: ({ step, model, other }) =>
      /^(SET|REMOVE) l\[/.test(String(step.update)) &&
      isRefusal(model, 'ValidationException') &&
      !isRefusal(other, 'ValidationException'),
  },
  {
    servers: ['ministack'],
    kinds: ['items', 'transactions'],
    what: 'an operand of a wrong type is taken',
    caseId: 'dynamodb-updates/operand-of-a-wrong-type',
    holds: ({ step, model, other }) =>
      step.update === 'SET n = s + :n' &&
      isRefusal(model, 'ValidationException') &&
      !isRefusal(other, 'ValidationException'),
  },
  {
    servers: ['ministack'],
    kinds: ['fifo'],
    what: 'on a FIFO queue a handle whose visibility has ended still changes the visibility',
    holds: ({ step, model, other }) =>
      step.op === 'hide' && isRefusal(model, 'InvalidParameterValue') && other === '"hidden"',
  },
  {
    servers: ['localstack', 'dynamodb-local'],
    kinds: ['transactions'],
    what: 'an action that cannot be done for its item refuses the call, and is no reason of a cancelled transaction',
    caseId: 'dynamodb-transactions/wrong-action-is-a-reason',
    holds: ({ step, model, other }) =>
      step.op === 'write' &&
      isRefusal(model, 'TransactionCanceledException') &&
      model.includes('ValidationError') &&
      isRefusal(other, 'ValidationException'),
  },
  {
    servers: ['localstack', 'dynamodb-local'],
    kinds: ['transactions'],
    what: 'two actions on one item are refused only when their conditions hold',
    caseId: 'compared/two-actions-on-one-item-are-refused-first',
    holds: ({ step, model, other }) =>
      step.op === 'write' &&
      isRefusal(model, 'ValidationException') &&
      isRefusal(other, 'TransactionCanceledException'),
  },
];

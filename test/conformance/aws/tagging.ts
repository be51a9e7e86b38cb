import { Difference } from '../case.ts';
import { tagKey } from './kinds.ts';

type Input = Record<string, unknown>;

/** How an action that makes something names it, and takes tags. */
interface Maker {
  readonly kind: string;
  readonly name: string;
  readonly tags: 'Tags' | 'tags';
  readonly shape: 'list' | 'record';
}

/** The actions that make something, as far as the cases need them. */
const makers: Readonly<Record<string, Maker>> = {
  CreateQueue: { kind: 'queue', name: 'QueueName', tags: 'tags', shape: 'record' },
  CreateTopic: { kind: 'topic', name: 'Name', tags: 'Tags', shape: 'list' },
  CreateTable: { kind: 'table', name: 'TableName', tags: 'Tags', shape: 'list' },
  CreateFunction: { kind: 'function', name: 'FunctionName', tags: 'Tags', shape: 'record' },
  CreateEventSourceMapping: { kind: 'function', name: 'FunctionName', tags: 'Tags', shape: 'record' },
  PutMetricAlarm: { kind: 'alarm', name: 'AlarmName', tags: 'Tags', shape: 'list' },
  PutCompositeAlarm: { kind: 'composite alarm', name: 'AlarmName', tags: 'Tags', shape: 'list' },
  CreateRole: { kind: 'role', name: 'RoleName', tags: 'Tags', shape: 'list' },
  CreateStack: { kind: 'stack', name: 'StackName', tags: 'Tags', shape: 'list' },
  UpdateStack: { kind: 'stack', name: 'StackName', tags: 'Tags', shape: 'list' },
  CreateChangeSet: { kind: 'stack', name: 'StackName', tags: 'Tags', shape: 'list' },
};

/** Something that is about to be made. */
export interface Making {
  readonly kind: string;
  readonly name: string;
}

/**
 * The input of an action with the tag of the run. `note` is told first what is about to be made.
 *
 * @throws {Difference} for an action that makes something which nobody would remove
 */
export function tagged(action: string, input: Input, run: string, note: (making: Making) => void): Input {
  const maker = makers[action];
  if (maker === undefined) {
    if (/^(Create|Import|Restore|Copy)/.test(action))
      throw new Difference(`${action} is not played on AWS: what it makes would not be removed.`);
    return input;
  }
  const name = String(input[maker.name] ?? '');
  note({ kind: maker.kind, name });
  const given = input[maker.tags];
  const tags =
    maker.shape === 'record'
      ? { ...(given as object | undefined), [tagKey]: run }
      : [...((given as unknown[] | undefined) ?? []), { Key: tagKey, Value: run }];
  return { ...input, [maker.tags]: tags };
}

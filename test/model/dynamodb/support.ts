import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { expect } from 'vitest';
import { seededRandom } from '../../../lib/base/index.ts';
import { createVirtualClock, type VirtualClock } from '../../../local/clock.ts';
import { createDynamoDb, type DynamoDbModel, type Item } from '../../../local/dynamodb/index.ts';
import { ServiceError } from '../../../local/service.ts';

/** What the model answers, read loosely: tests look at single members of it. */
// biome-ignore lint/suspicious/noExplicitAny: answers of all actions
export type Answer = any;

export interface Fixture {
  readonly model: DynamoDbModel;
  readonly clock: VirtualClock;
  /** Calls an action. */
  call(action: string, input: object): Answer;
  /** Calls an action that has to fail, and gives back its error. */
  refused(action: string, input: object): ServiceError;
}

/** A model with one table `records` (partition key `pk`), on a virtual clock. */
export function createFixture(options: { readonly seed?: number } = {}): Fixture {
  const clock = createVirtualClock();
  const model = createDynamoDb({
    clock,
    random: seededRandom(options.seed ?? 1),
    account: '000000000000',
    region: 'us-east-1',
    endpoint: 'http://127.0.0.1:4566',
    metrics: { count: () => {}, gauge: () => () => {} },
  });
  const call = (action: string, input: object) => model.operations[action]!(input, {});
  call('CreateTable', {
    TableName: 'records',
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
  });
  return {
    model,
    clock,
    call,
    refused(action, input) {
      try {
        call(action, input);
      } catch (error) {
        expect(error).toBeInstanceOf(ServiceError);
        return error as ServiceError;
      }
      throw new Error(`${action} was not refused`);
    },
  };
}

/** A JavaScript value as an attribute value: numbers, texts, booleans, null, bytes, sets, lists and maps. */
export function value(plain: unknown): AttributeValue {
  if (typeof plain === 'string') return { S: plain };
  if (typeof plain === 'number' || typeof plain === 'bigint') return { N: String(plain) };
  if (typeof plain === 'boolean') return { BOOL: plain };
  if (plain === null) return { NULL: true };
  if (plain instanceof Uint8Array) return { B: plain };
  if (Array.isArray(plain)) return { L: plain.map(value) };
  if (plain instanceof Set) {
    const members = [...plain];
    return typeof members[0] === 'number' ? { NS: members.map(String) } : { SS: members as string[] };
  }
  return { M: item(plain as Record<string, unknown>) };
}

/** A JavaScript object as an item. */
export const item = (plain: Record<string, unknown>): Item =>
  Object.fromEntries(Object.entries(plain).map(([name, member]) => [name, value(member)]));

/** A JavaScript object as the values of an expression: `{ v: 1 }` for `:v`. */
export const values = (plain: Record<string, unknown>): Record<string, AttributeValue> =>
  Object.fromEntries(Object.entries(plain).map(([name, member]) => [`:${name}`, value(member)]));

/** A statement with its parameters, asking for the item on failure. */
export const statement = (text: string, ...parameters: unknown[]) => ({
  Statement: text,
  ...(parameters.length === 0 ? {} : { Parameters: parameters.map(value) }),
  ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
});

/** Puts items into `records`. */
export function fill({ call }: Fixture, ...items: Record<string, unknown>[]): void {
  for (const one of items) call('PutItem', { TableName: 'records', Item: item(one) });
}

/** The item of this key in `records`, or `undefined`. */
export const read = ({ call }: Fixture, pk: string): Item | undefined =>
  call('GetItem', { TableName: 'records', Key: item({ pk }), ConsistentRead: true }).Item;

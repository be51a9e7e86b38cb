import type {
  AttributeValue,
  BatchExecuteStatementCommandInput,
  BatchGetItemCommandInput,
  BatchStatementRequest,
  BatchStatementResponse,
  CancellationReason,
  GetItemCommandInput,
  TransactWriteItem,
  TransactWriteItemsCommandInput,
  UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';

export type Item = Record<string, AttributeValue>;

/** A call as a fault sees it: before it acts, and after it acted but before its reply. */
export type Intercept = (
  call: { readonly name: string; readonly input: unknown },
  phase: 'before' | 'after',
) => void | Promise<void>;

/** An error as the SDK throws it. */
export function serviceError(
  name: string,
  members: object = {},
  fault: 'client' | 'server' = 'client',
): Error {
  return Object.assign(new Error(name), { name, $fault: fault, ...members });
}

/** A lost connection: no answer from a service, so no `$fault`. */
export const lostReply = (): Error => Object.assign(new Error('socket hang up'), { name: 'TimeoutError' });

/**
 * DynamoDB, as much of it as the runtime uses and the tests' own items need: conditions are really evaluated,
 * a batch refuses a key that comes twice, a refused INSERT does not return the item, tokens are remembered.
 */
export function createFakeDynamoDb() {
  const tables = new Map<string, Map<string, Item>>();
  const tokens = new Map<string, string>();
  const calls: { name: string; input: unknown }[] = [];
  const fake = {
    calls,
    intercept: undefined as Intercept | undefined,
    items: (table: string) => tables.get(table) ?? new Map<string, Item>(),
    put(table: string, item: Item) {
      tableOf(table).set(keyOf(item), item);
    },
    async send(command: object): Promise<object> {
      const name = command.constructor.name.replace(/Command$/, '');
      const { input } = command as { input: unknown };
      calls.push({ name, input });
      await fake.intercept?.({ name, input }, 'before');
      const output = act(name, input);
      await fake.intercept?.({ name, input }, 'after');
      return output;
    },
  };

  function tableOf(name: string): Map<string, Item> {
    let table = tables.get(name);
    if (table === undefined) {
      table = new Map();
      tables.set(name, table);
    }
    return table;
  }

  function act(name: string, input: unknown): object {
    switch (name) {
      case 'BatchExecuteStatement':
        return batch(input as BatchExecuteStatementCommandInput);
      case 'BatchGetItem': {
        const responses: Record<string, Item[]> = {};
        for (const [table, { Keys }] of Object.entries(
          (input as BatchGetItemCommandInput).RequestItems ?? {},
        ))
          responses[table] = (Keys ?? [])
            .map((key) => structuredClone(tableOf(table).get(keyOf(key))))
            .filter((item) => item !== undefined);
        return { Responses: responses, UnprocessedKeys: {} };
      }
      case 'GetItem': {
        const { TableName = '', Key = {} } = input as GetItemCommandInput;
        const found = tableOf(TableName).get(keyOf(Key));
        return found === undefined ? {} : { Item: structuredClone(found) };
      }
      case 'UpdateItem':
        return updateItem(input as UpdateItemCommandInput);
      case 'TransactWriteItems':
        return transact(input as TransactWriteItemsCommandInput);
      default:
        throw serviceError('UnknownOperationException');
    }
  }

  function batch({ Statements = [] }: BatchExecuteStatementCommandInput) {
    if (Statements.length > 25) throw serviceError('ValidationException');
    const parsed = Statements.map(parse);
    const keys = parsed.map((statement) => statement.key);
    if (new Set(keys).size < keys.length)
      throw serviceError('ValidationException', { message: 'duplicates' });
    return { Responses: parsed.map((statement) => statement.run(tableOf(statement.table))) };
  }

  /** An update that sets, some of it only where nothing is yet, that removes, and that counts. */
  function updateItem(input: UpdateItemCommandInput) {
    const { TableName = '', Key = {}, UpdateExpression = '', ConditionExpression = '' } = input;
    const name = (text: string) => input.ExpressionAttributeNames?.[text] ?? text;
    const value = (text: string) => input.ExpressionAttributeValues?.[text] as AttributeValue;
    const table = tableOf(TableName);
    const found = table.get(keyOf(Key));
    const unequal = / OR (\S+) <> (\S+)$/.exec(ConditionExpression);
    if (unequal && found && found[name(unequal[1]!)]?.S === value(unequal[2]!).S)
      throw serviceError('ConditionalCheckFailedException');
    const next: Item = { ...(found ?? Key) };
    const clauses = UpdateExpression.split(/(?:^| )(SET|REMOVE|ADD) /).slice(1);
    for (let index = 0; index < clauses.length; index += 2)
      for (const part of clauses[index + 1]!.split(/, (?=#)/)) {
        const [target = '', text = ''] = part.split(/ = | /, 2);
        const kept = /^if_not_exists\(\S+ (\S+)\)$/.exec(part.split(' = ')[1] ?? '');
        if (clauses[index] === 'REMOVE') delete next[name(target)];
        else if (clauses[index] === 'ADD')
          next[name(target)] = { N: String(Number(next[name(target)]?.N ?? 0) + Number(value(text).N)) };
        else if (kept) next[name(target)] ??= value(kept[1]!);
        else next[name(target)] = value(text);
      }
    table.set(keyOf(Key), next);
    return {};
  }

  function transact({ TransactItems = [], ClientRequestToken = '' }: TransactWriteItemsCommandInput) {
    const content = JSON.stringify(TransactItems);
    const earlier = tokens.get(ClientRequestToken);
    if (earlier !== undefined) {
      if (earlier !== content) throw serviceError('IdempotentParameterMismatchException');
      return {};
    }
    const writes = TransactItems.map(transactWrite);
    const reasons: CancellationReason[] = writes.map(({ table, key, holds }) => {
      const found = tableOf(table).get(key);
      return holds(found)
        ? { Code: 'None' }
        : { Code: 'ConditionalCheckFailed', ...(found && { Item: found }) };
    });
    if (reasons.some((reason) => reason.Code !== 'None'))
      throw serviceError('TransactionCanceledException', { CancellationReasons: structuredClone(reasons) });
    for (const { table, key, apply } of writes) {
      const next = apply(tableOf(table).get(key));
      if (next === undefined) tableOf(table).delete(key);
      else tableOf(table).set(key, next);
    }
    tokens.set(ClientRequestToken, content);
    return {};
  }
  return fake;
}

export type FakeDynamoDb = ReturnType<typeof createFakeDynamoDb>;

const keyOf = (item: Item): string => item.pk?.S ?? '';

interface Parsed {
  readonly table: string;
  readonly key: string;
  run(table: Map<string, Item>): BatchStatementResponse;
}

function parse({ Statement = '', Parameters = [] }: BatchStatementRequest): Parsed {
  const parameters = [...Parameters];
  const take = () => {
    const value = parameters.shift();
    if (value === undefined) throw serviceError('ValidationException', { message: 'too few parameters' });
    return value;
  };
  const insert = /^INSERT INTO "(.+?)" VALUE \{(.+)\}$/.exec(Statement);
  if (insert) {
    const item: Item = {};
    for (const part of insert[2]!.split(', ')) item[/^'(\w+)': \?$/.exec(part)![1]!] = take();
    const key = keyOf(item);
    return {
      table: insert[1]!,
      key,
      run(table) {
        if (table.has(key))
          return { Error: { Code: 'DuplicateItem', Message: 'Duplicate primary key exists' } };
        table.set(key, item);
        return {};
      },
    };
  }
  const update = /^UPDATE "(.+?)" ((?:SET "\w+"=\? )+)((?:REMOVE "\w+" )*)WHERE (.+)$/.exec(Statement);
  if (!update) throw serviceError('ValidationException', { message: Statement });
  const sets = [...update[2]!.matchAll(/"(\w+)"/g)].map((match) => [match[1]!, take()] as const);
  const removes = [...update[3]!.matchAll(/"(\w+)"/g)].map((match) => match[1]!);
  const conditions = update[4]!.split(' AND ').map((text) => {
    const [, name, operator] = /^"(\w+)"(=|<)\?$/.exec(text)!;
    return { name: name!, operator: operator!, value: take() };
  });
  const key = conditions.find((condition) => condition.name === 'pk')?.value.S ?? '';
  return {
    table: update[1]!,
    key,
    run(table) {
      const found = table.get(key);
      const holds =
        found !== undefined &&
        conditions.every(({ name, operator, value }) => compare(found[name], operator, value));
      if (!holds)
        return {
          Error: {
            Code: 'ConditionalCheckFailed',
            Message: 'The conditional request failed',
            ...(found && { Item: structuredClone(found) }),
          },
        };
      const next = { ...found, ...Object.fromEntries(sets) };
      for (const name of removes) delete next[name];
      table.set(key, next);
      return {};
    },
  };
}

function compare(found: AttributeValue | undefined, operator: string, value: AttributeValue): boolean {
  if (found === undefined) return false;
  const [left, right] = found.N === undefined ? [found.S, value.S] : [Number(found.N), Number(value.N)];
  if (left === undefined || right === undefined) return false;
  if (operator === '<=') return left <= right;
  return operator === '=' ? left === right : operator === '<' ? left < right : left >= right;
}

function transactWrite(item: TransactWriteItem) {
  const write = item.Put ?? item.Update ?? item.Delete ?? item.ConditionCheck;
  if (write === undefined) throw serviceError('ValidationException');
  const names = write.ExpressionAttributeNames ?? {};
  const values = write.ExpressionAttributeValues ?? {};
  const name = (text: string) => names[text] ?? text;
  const one = (text: string, found: Item | undefined): boolean => {
    const absent = /^attribute_not_exists\((\S+)\)$/.exec(text);
    if (absent) return found?.[name(absent[1]!)] === undefined;
    const [left, operator, right] = text.split(' ');
    return compare(found?.[name(left!)], operator!, values[right!]!);
  };
  const conditions = (write.ConditionExpression ?? '').split(' AND ').filter((text) => text !== '');
  const holds = (found: Item | undefined): boolean =>
    conditions.every((text) => text.split(' OR ').some((choice) => one(choice, found)));
  const apply = (found: Item | undefined): Item | undefined => {
    if (item.Put) return item.Put.Item as Item;
    if (item.Delete) return undefined;
    if (!item.Update) return found;
    const next: Item = { ...(found ?? item.Update.Key) };
    const [sets, removes] = (item.Update.UpdateExpression ?? '').replace(/^SET /, '').split(' REMOVE ');
    for (const part of sets!.split(', ')) {
      const sum = /^(\S+) = (\S+) \+ (\S+)$/.exec(part);
      if (sum) {
        const total = Number(next[name(sum[2]!)]?.N ?? 0) + Number(values[sum[3]!]?.N);
        next[name(sum[1]!)] = { N: String(total) };
      } else {
        const [target, value] = part.split(' = ');
        next[name(target!)] = values[value!]!;
      }
    }
    for (const part of removes?.split(', ') ?? []) delete next[name(part)];
    return next;
  };
  const key = keyOf((item.Put?.Item ?? (write as { Key?: Item }).Key ?? {}) as Item);
  return { table: write.TableName ?? '', key, holds, apply };
}

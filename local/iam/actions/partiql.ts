import { parseStatement } from '../../dynamodb/partiql/index.ts';
import { untold } from '../language/index.ts';
import { type Demand, type Place, text } from './row.ts';
import { indexArn, tableArn } from './table-arn.ts';

/** What each kind of statement needs (DynamoDB developer guide, "IAM security policies with PartiQL for DynamoDB"). */
const actions = {
  delete: 'dynamodb:PartiQLDelete',
  exists: 'dynamodb:ConditionCheckItem',
  insert: 'dynamodb:PartiQLInsert',
  select: 'dynamodb:PartiQLSelect',
  update: 'dynamodb:PartiQLUpdate',
} as const;

// Which items a statement reaches is known once its parameters are bound: a condition on the keys cannot be judged.
const conditions = () => ({ 'dynamodb:leadingkeys': untold });

/** What a statement needs; nothing for a text that is no statement, which the service refuses by itself. */
export function statementDemand(
  { Statement }: { readonly Statement?: unknown },
  place: Place,
): Demand | undefined {
  let parsed: ReturnType<typeof parseStatement>;
  try {
    parsed = parseStatement(text(Statement));
  } catch {
    return undefined;
  }
  const { kind, table } = parsed;
  const index = 'index' in parsed ? parsed.index : undefined;
  return {
    action: actions[kind],
    resource: index === undefined ? tableArn(table, place) : indexArn(table, index, place),
    conditions,
  };
}

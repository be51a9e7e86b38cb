import type { AttributeValue } from '@aws-sdk/client-dynamodb';

/** One step of a document path: an attribute's name, a placeholder (`#n`) for one, or a position in a list. */
export type Step = { readonly name: string } | { readonly placeholder: string } | { readonly index: number };

/** A document path: `a.b[3].#c`. */
export type Path = readonly Step[];

/**
 * What stands on a side of a comparison. A slot is `:name`, or the position of a `?`. Documents, lists and bags
 * (which become sets) are literals of statements, with operands inside.
 */
export type Operand =
  | { readonly kind: 'document'; readonly entries: readonly (readonly [string, Operand])[] }
  | { readonly kind: 'list'; readonly elements: readonly Operand[] }
  | { readonly kind: 'bag'; readonly elements: readonly Operand[] }
  | { readonly kind: 'path'; readonly path: Path }
  | { readonly kind: 'value'; readonly slot: string | number }
  | { readonly kind: 'constant'; readonly value: AttributeValue }
  | { readonly kind: 'size'; readonly path: Path };

/** The comparators. */
export type Comparator = '=' | '<>' | '<' | '<=' | '>' | '>=';

/** A condition, as condition, filter and key expressions and the WHERE of a statement have it. */
export type Condition =
  | {
      readonly kind: 'compare';
      readonly operator: Comparator;
      readonly left: Operand;
      readonly right: Operand;
    }
  | { readonly kind: 'between'; readonly operand: Operand; readonly low: Operand; readonly high: Operand }
  | { readonly kind: 'in'; readonly operand: Operand; readonly choices: readonly Operand[] }
  | { readonly kind: 'exists'; readonly path: Path }
  | { readonly kind: 'missing'; readonly path: Path }
  | { readonly kind: 'type'; readonly path: Path; readonly type: Operand }
  | { readonly kind: 'beginsWith'; readonly operand: Operand; readonly prefix: Operand }
  | { readonly kind: 'contains'; readonly operand: Operand; readonly element: Operand }
  | { readonly kind: 'and'; readonly left: Condition; readonly right: Condition }
  | { readonly kind: 'or'; readonly left: Condition; readonly right: Condition }
  | { readonly kind: 'not'; readonly condition: Condition };

/** The right side of a SET. */
export type UpdateValue =
  | Operand
  | { readonly kind: 'ifNotExists'; readonly path: Path; readonly otherwise: UpdateValue }
  | { readonly kind: 'append'; readonly left: UpdateValue; readonly right: UpdateValue }
  | {
      readonly kind: 'arithmetic';
      readonly operator: '+' | '-';
      readonly left: UpdateValue;
      readonly right: UpdateValue;
    };

/** One change of an update expression. */
export type Change =
  | { readonly kind: 'set'; readonly path: Path; readonly value: UpdateValue }
  | { readonly kind: 'remove'; readonly path: Path }
  | { readonly kind: 'add'; readonly path: Path; readonly value: Operand }
  | { readonly kind: 'delete'; readonly path: Path; readonly value: Operand };

/** The placeholders that an expression uses. */
export interface Placeholders {
  readonly names: ReadonlySet<string>;
  readonly values: ReadonlySet<string>;
}

/** An expression as parsed. */
export interface Parsed<Tree> extends Placeholders {
  readonly tree: Tree;
}

/** What placeholders stand for in one call. */
export interface Bindings {
  readonly names: Readonly<Record<string, string>>;
  readonly values: Readonly<Record<string | number, AttributeValue>>;
}

/** The kinds of expressions, as error messages name them. */
export type ExpressionKind =
  | 'ConditionExpression'
  | 'FilterExpression'
  | 'KeyConditionExpression'
  | 'ProjectionExpression'
  | 'UpdateExpression';

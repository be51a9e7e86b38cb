import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Condition, Operand, Path, ResolvedChange } from '../expressions/index.ts';

/** A statement as parsed; parameters are numbered from 0 in the order of the text. */
export type Statement = { readonly parameters: number } & (
  | { readonly kind: 'insert'; readonly table: string; readonly value: Operand }
  | {
      readonly kind: 'update';
      readonly table: string;
      readonly changes: readonly ResolvedChange[];
      readonly where: Condition | undefined;
      readonly returning: Returning | undefined;
    }
  | {
      readonly kind: 'delete';
      readonly table: string;
      readonly where: Condition | undefined;
      readonly returning: Returning | undefined;
    }
  | {
      readonly kind: 'select' | 'exists';
      readonly table: string;
      readonly index: string | undefined;
      /** `undefined` for `*`. */
      readonly projection: readonly Path[] | undefined;
      readonly where: Condition | undefined;
      readonly order: { readonly attribute: string; readonly descending: boolean } | undefined;
    }
);

/** What a statement gives back of its item. */
export type Returning = 'ALL_OLD' | 'ALL_NEW' | 'MODIFIED_OLD' | 'MODIFIED_NEW';

/** A statement with its parameters. */
export interface BoundStatement {
  readonly statement: Statement;
  readonly parameters: readonly AttributeValue[];
}

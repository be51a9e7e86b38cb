import type { Place } from './row.ts';

/** A table is named by its name or its ARN. */
export const tableArn = (table: string, { account, region }: Place): string =>
  table.startsWith('arn:') ? table : `arn:aws:dynamodb:${region}:${account}:table/${table}`;

export const indexArn = (table: string, index: string, place: Place): string =>
  `${tableArn(table, place)}/index/${index}`;

import { type Place, rememberedArns } from './row.ts';

const made = rememberedArns(
  (table, { account, region }) => `arn:aws:dynamodb:${region}:${account}:table/${table}`,
);

/** A table is named by its name or its ARN. */
export const tableArn = (table: string, place: Place): string =>
  table.startsWith('arn:') ? table : made(table, place);

export const indexArn = (table: string, index: string, place: Place): string =>
  `${tableArn(table, place)}/index/${index}`;

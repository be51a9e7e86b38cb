import { validation } from './errors.ts';

/** Members from before expressions (2014); the model does not carry them, and does not pass over them in silence. */
const legacy = [
  'Expected',
  'ConditionalOperator',
  'AttributeUpdates',
  'AttributesToGet',
  'KeyConditions',
  'QueryFilter',
  'ScanFilter',
];

/** Refuses a request that uses members which the model does not have. */
export function refuseLegacy(input: object): void {
  for (const member of legacy) {
    if ((input as Record<string, unknown>)[member] !== undefined)
      throw validation(
        `The model of DynamoDB does not take the legacy parameter ${member}; use an expression instead`,
      );
  }
}

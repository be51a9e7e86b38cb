import type { Milliseconds } from '../../lib/base/index.ts';
import { ServiceError } from '../service.ts';

/** One version of a parameter's value. */
export interface ParameterVersion {
  readonly version: number;
  readonly value: string;
  readonly type: 'String' | 'StringList' | 'SecureString';
  readonly changedAt: Milliseconds;
  readonly description: string | undefined;
  readonly allowedPattern: string | undefined;
  readonly tier: string;
  readonly dataType: string;
  readonly keyId: string | undefined;
}

/** A parameter: its versions, the newest last. */
export interface Parameter {
  readonly name: string;
  readonly versions: ParameterVersion[];
  readonly tags: Map<string, string>;
}

/** Versions that are kept (Systems Manager user guide, "Working with parameter versions"). */
export const mostVersions = 100;

/** Bytes of a value, by tier (Systems Manager user guide, "Managing parameter tiers"). */
const largestValue: Readonly<Record<string, number>> = {
  Standard: 4096,
  Advanced: 8192,
  'Intelligent-Tiering': 8192,
};

export const missing = (message = '') =>
  new ServiceError('ParameterNotFound', message === '' ? 'The parameter is not there.' : message);
export const invalid = (message: string) => new ServiceError('ValidationException', message);

/** Names of parameters (Systems Manager API reference, PutParameter). @throws {ServiceError} for any other */
export function checkName(name: string): void {
  if (!/^[a-zA-Z0-9_.\-/]{1,1011}$/.test(name) || (name.includes('/') && !name.startsWith('/')))
    throw invalid(
      `Parameter name: "${name}" is not allowed: letters, digits and _.-, with steps of a hierarchy that begins with "/".`,
    );
  if (/^\/?(aws|ssm)/i.test(name))
    throw invalid(
      `Parameter name: can't be prefixed with "aws" or "ssm" (case-insensitive); found "${name}".`,
    );
  if (name.split('/').length - 1 > 15)
    throw new ServiceError(
      'HierarchyLevelLimitExceededException',
      'A hierarchy can have a maximum of 15 levels.',
    );
}

/** @throws {ServiceError} for a value that its tier, type or pattern does not allow */
export function checkValue(value: string, tier: string, allowedPattern: string | undefined): void {
  const limit = largestValue[tier];
  if (limit === undefined)
    throw invalid(`Tier is "${tier}"; allowed are ${Object.keys(largestValue).join(', ')}.`);
  if (value === '') throw invalid('The value of a parameter has at least one character.');
  if (Buffer.byteLength(value) > limit)
    throw invalid(`The value has ${Buffer.byteLength(value)} bytes; tier ${tier} takes ${limit}.`);
  if (allowedPattern === undefined) return;
  let pattern: RegExp;
  try {
    pattern = new RegExp(`^(?:${allowedPattern})$`);
  } catch (cause) {
    throw new ServiceError(
      'InvalidAllowedPatternException',
      `The pattern ${allowedPattern} cannot be read.`,
      {
        cause,
      },
    );
  }
  if (!pattern.test(value))
    throw new ServiceError(
      'ParameterPatternMismatchException',
      `Parameter value, cannot be validated against allowedPattern: ${allowedPattern}`,
    );
}

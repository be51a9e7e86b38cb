import { InvalidArgumentError } from 'commander';

/**
 * A parser for a flag that takes a whole number.
 *
 * @example
 * ```ts
 * command.option('--port <number>', 'port of the endpoint', wholeNumber(0, 65_535), 4566);
 * ```
 */
export const wholeNumber =
  (least: number, most: number) =>
  (text: string): number => {
    const value = Number(text);
    if (!/^\d+$/.test(text) || value < least || value > most)
      throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
    return value;
  };

/** Whether a text is built as the names of regions are: `eu-west-1`, `us-gov-east-1`, `eusc-de-east-1`. */
export const isRegionName = (text: string): boolean => /^[a-z]{2,4}(-[a-z]+)+-\d$/.test(text);

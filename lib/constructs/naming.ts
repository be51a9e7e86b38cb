/**
 * A declared name as part of a construct id or an output: letters and digits only, each word capitalised. The
 * declaration's rules see to it that no two names become one.
 *
 * @example
 * ```ts
 * pascalCase('order-events'); // 'OrderEvents'
 * ```
 */
export const pascalCase = (name: string): string =>
  name
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

import { blameCaller } from '../base/index.ts';

/**
 * A mistake in what a construct was given. Its trace begins at the line that gave it.
 *
 * @example
 * ```ts
 * try {
 *   new MessagingStack(app, 'Shop', props);
 * } catch (error) {
 *   if (error instanceof ConstructError) console.error(error.message);
 * }
 * ```
 */
export class ConstructError extends Error {
  static {
    // Not a field: a trace that is made before it is set would bear another name.
    ConstructError.prototype.name = 'ConstructError';
  }

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    blameCaller(this);
  }
}

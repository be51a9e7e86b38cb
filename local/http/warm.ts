import type { ServiceId } from '../service.ts';
import { loadShapes } from './shape.ts';

/**
 * Loads the shapes of services ahead of their first requests, which would wait for it. What cannot be loaded is
 * told at the first request.
 *
 * @example
 * ```ts
 * await warmUp(['sqs', 'sns', 'dynamodb']);
 * ```
 */
export async function warmUp(services: readonly ServiceId[]): Promise<void> {
  await Promise.allSettled(services.map(loadShapes));
}

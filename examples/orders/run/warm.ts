import type { LocalStack } from 'sluice/local';
import { orders as messaging } from '../topology.ts';
import type { Place } from './places.ts';

/**
 * Invokes each function with an empty batch, as often at once as it may run, so that its environments are there before the first
 * order: what provisioned concurrency does on AWS. Without it, a burst of seconds would mostly measure how fast one
 * machine can load the SDK into all of them.
 */
export async function warm(local: LocalStack, places: readonly Place[]): Promise<void> {
  const Payload = new TextEncoder().encode('{"Records":[]}');
  await Promise.all(
    places.flatMap(({ name, functionName: FunctionName }) => {
      const { concurrency } = messaging.subscribers[name as keyof typeof messaging.subscribers];
      return Array.from({ length: concurrency }, async () => {
        const answer = await local.aws.call('lambda', 'Invoke', { FunctionName, Payload });
        const { FunctionError } = answer as { FunctionError?: string };
        if (FunctionError !== undefined)
          throw new Error(`The function of ${name} does not start: ${textOf(answer)}`);
      });
    }),
  );
}

const textOf = (answer: object): string => {
  const { Payload } = answer as { Payload?: Uint8Array };
  return Payload === undefined ? 'it says nothing' : new TextDecoder().decode(Payload);
};

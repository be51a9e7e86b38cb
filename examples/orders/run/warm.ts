import type { LocalStack } from 'sluice/local';
import { orders as messaging } from '../topology.ts';
import type { Part } from './places.ts';

/** On a busy machine the code of a function may take longer to load than the function may run. */
const tries = 3;

/**
 * Invokes each function with an empty batch, as often at once as it may run, so that its environments are there before the first
 * order: what provisioned concurrency does on AWS. Without it, a burst of seconds would mostly measure how fast one
 * machine can load the SDK into all of them. One function comes after the other: all at once, each environment of
 * the last would wait for those of all.
 */
export async function warm(local: LocalStack, parts: readonly Part[]): Promise<void> {
  for (const { name, functionName } of parts) {
    const { concurrency } = messaging.subscribers[name as keyof typeof messaging.subscribers];
    await Promise.all(Array.from({ length: concurrency }, () => startOne(local, name, functionName)));
  }
}

async function startOne(local: LocalStack, name: string, FunctionName: string): Promise<void> {
  const Payload = new TextEncoder().encode('{"Records":[]}');
  for (let left = tries; ; left--) {
    const answer = await local.aws.call('lambda', 'Invoke', { FunctionName, Payload });
    const { FunctionError } = answer as { FunctionError?: string };
    if (FunctionError === undefined) return;
    const said = textOf(answer);
    if (left === 1 || !said.includes('Sandbox.Timedout'))
      throw new Error(`The function of ${name} does not start: ${said}`);
  }
}

const textOf = (answer: object): string => {
  const { Payload } = answer as { Payload?: Uint8Array };
  return Payload === undefined ? 'it says nothing' : new TextDecoder().decode(Payload);
};

import type { ChangeMessageVisibilityBatchCommandInput, SendMessageCommandInput } from '@aws-sdk/client-sqs';
import type { Intercept } from './dynamodb.ts';

/** SQS, as far as a consumer calls it: remembers visibilities and dead letters in the order in which they came. */
export function createFakeSqs() {
  const fake = {
    intercept: undefined as Intercept | undefined,
    calls: [] as { name: string; input: unknown }[],
    /** Every change, in order: receipt handle and seconds. */
    visibilities: [] as [receiptHandle: string, visibility: number][],
    letters: [] as SendMessageCommandInput[],
    async send(command: object): Promise<object> {
      const name = command.constructor.name.replace(/Command$/, '');
      const { input } = command as { input: unknown };
      fake.calls.push({ name, input });
      await fake.intercept?.({ name, input }, 'before');
      if (name === 'SendMessage') fake.letters.push(input as SendMessageCommandInput);
      else
        for (const entry of (input as ChangeMessageVisibilityBatchCommandInput).Entries ?? [])
          fake.visibilities.push([entry.ReceiptHandle ?? '', entry.VisibilityTimeout ?? -1]);
      await fake.intercept?.({ name, input }, 'after');
      return {};
    },
    /** The last visibility of a message; `undefined` when it was never changed. */
    visibilityOf: (messageId: string) =>
      fake.visibilities.filter(([handle]) => handle === `handle ${messageId}`).at(-1)?.[1],
  };
  return fake;
}

export type FakeSqs = ReturnType<typeof createFakeSqs>;

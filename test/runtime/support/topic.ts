import type { PublishBatchCommandInput, PublishCommandInput } from '@aws-sdk/client-sns';
import { type PublisherOptions, publisher } from 'sluice/lambda';
import { seededRandom } from '../../../lib/base/index.ts';
import { createVirtualClock } from '../../../local/clock.ts';
import { shop } from './world.ts';

/** How often SNS refuses an entry, and how. */
export interface Fault {
  readonly code: string;
  readonly senderFault: boolean;
  readonly times: number;
}

/** A publisher and the topics that it publishes to. */
export function createTopic(
  options: Partial<PublisherOptions> & { faults?: ReadonlyMap<string, Fault> } = {},
) {
  const { faults, ...rest } = options;
  const clock = createVirtualClock();
  const left = new Map([...(faults ?? [])].map(([id, fault]) => [id, { ...fault }]));
  const calls: PublishBatchCommandInput[] = [];
  const single: PublishCommandInput[] = [];
  /** Ids of events in the order in which the topic took them. */
  const taken: string[] = [];
  const idOf = (message: string | undefined) => (JSON.parse(message ?? '{}') as { id: string }).id;
  const sns = {
    async send(command: object): Promise<object> {
      if (command.constructor.name === 'PublishCommand') {
        const { input } = command as { input: PublishCommandInput };
        single.push(input);
        taken.push(idOf(input.Message));
        return { MessageId: `m${taken.length}`, SequenceNumber: '1' };
      }
      const { input } = command as { input: PublishBatchCommandInput };
      calls.push(input);
      const output = { Successful: [] as object[], Failed: [] as object[] };
      for (const entry of input.PublishBatchRequestEntries ?? []) {
        const fault = left.get(idOf(entry.Message));
        if (fault && fault.times-- > 0)
          output.Failed.push({
            Id: entry.Id,
            Code: fault.code,
            Message: 'no',
            SenderFault: fault.senderFault,
          });
        else {
          taken.push(idOf(entry.Message));
          output.Successful.push({ Id: entry.Id, MessageId: `m${taken.length}` });
        }
      }
      return output;
    },
  };
  const events = publisher(shop, {
    sns,
    clock,
    random: seededRandom(1),
    environment: { SLUICE_TOPIC_ARN_ORDERS: 'arn:orders.fifo', SLUICE_TOPIC_ARN_NEWS: 'arn:news' },
    ...rest,
  });
  return { events, clock, calls, single, taken, sns };
}

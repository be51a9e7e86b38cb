import { CreateQueueCommand, DeleteQueueCommand, type QueueAttributeName } from '@aws-sdk/client-sqs';
import type { World } from '../../world.ts';

/** Makes a queue for one case; a FIFO queue when its attributes say so. Gives its URL. */
export async function queue(
  { sqs, name, after }: World,
  attributes: Partial<Record<QueueAttributeName, string>>,
): Promise<string> {
  const QueueName = name('queue', attributes.FifoQueue === 'true' ? '.fifo' : '');
  const { QueueUrl = '' } = await sqs.send(new CreateQueueCommand({ QueueName, Attributes: attributes }));
  after(() => sqs.send(new DeleteQueueCommand({ QueueUrl })));
  return QueueUrl;
}

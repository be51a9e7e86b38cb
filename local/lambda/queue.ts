import type {
  DeleteMessageBatchCommandInput,
  DeleteMessageBatchCommandOutput,
  GetQueueAttributesCommandInput,
  GetQueueAttributesCommandOutput,
  ReceiveMessageCommandInput,
  ReceiveMessageCommandOutput,
} from '@aws-sdk/client-sqs';
import type { Call, Operation, Service } from '../service.ts';

type Answer<Output> = Omit<Output, '$metadata'>;

/** The three actions of SQS that an event source uses, typed. */
export interface QueueActions {
  receive(input: ReceiveMessageCommandInput, call: Call): Promise<Answer<ReceiveMessageCommandOutput>>;
  remove(input: DeleteMessageBatchCommandInput, call: Call): Promise<Answer<DeleteMessageBatchCommandOutput>>;
  attributes(
    input: GetQueueAttributesCommandInput,
    call: Call,
  ): Promise<Answer<GetQueueAttributesCommandOutput>>;
}

/** The actions of an SQS service. */
export function queueActions(sqs: Pick<Service, 'operations'>): QueueActions {
  const action = <Input, Output>(name: string) => {
    const operation = sqs.operations[name] as Operation<Input, Answer<Output>> | undefined;
    if (operation === undefined) {
      throw new Error(`An event source needs the action ${name} of SQS, and the service given has none.`);
    }
    return async (input: Input, call: Call) => operation(input, call);
  };
  return {
    receive: action('ReceiveMessage'),
    remove: action('DeleteMessageBatch'),
    attributes: action('GetQueueAttributes'),
  };
}

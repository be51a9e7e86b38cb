import type { LocalStack } from 'sluice/local';
import { orders as messaging } from '../topology.ts';

/** Where a subscriber's parts are in the running stack. */
export interface Place {
  readonly name: string;
  readonly queueArn: string;
  readonly queueUrl: string;
  readonly deadLetterQueueUrl: string;
  readonly deadLetterQueueArn: string;
  readonly functionName: string;
  /** The event source that feeds the function from the queue. */
  readonly eventSourceId: string;
}

/** Finds the parts of each subscriber by the outputs of the deployed stack. */
export function findPlaces(local: LocalStack): readonly Place[] {
  return Object.keys(messaging.subscribers).map((name) => {
    const pascal = name.charAt(0).toUpperCase() + name.slice(1);
    const queueUrl = output(local, `QueueUrl${pascal}`);
    const deadLetterQueueUrl = output(local, `DeadLetterQueueUrl${pascal}`);
    const arnOf = (url: string) => {
      const queue = local.aws.sqs.queues().find((each) => each.url === url);
      if (queue === undefined)
        throw new Error(`The stack's output names the queue ${url}, which does not exist.`);
      return queue.arn;
    };
    const queueArn = arnOf(queueUrl);
    const source = local.aws.lambda.eventSources().find((each) => each.queueArn === queueArn);
    if (source === undefined) throw new Error(`No function is fed from the queue of ${name}.`);
    return {
      name,
      queueArn,
      queueUrl,
      deadLetterQueueUrl,
      deadLetterQueueArn: arnOf(deadLetterQueueUrl),
      functionName: source.functionName,
      eventSourceId: source.id,
    };
  });
}

/** An output of the stack; says which are there when it is missing. */
export function output(local: LocalStack, name: string): string {
  const value = local.outputs[name];
  if (value === undefined)
    throw new Error(
      `The stack has no output ${name}; it has ${Object.keys(local.outputs).sort().join(', ') || 'none'}.`,
    );
  return value;
}

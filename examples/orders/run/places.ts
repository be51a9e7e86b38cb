import type { LocalStack } from 'sluice/local';
import { orders as messaging } from '../topology.ts';
import type { Place } from './stage.ts';

/** Where a subscriber's parts are in the model. */
export interface Part extends Place {
  readonly queueArn: string;
  readonly functionName: string;
  /** The event source that feeds the function from the queue. */
  readonly eventSourceId: string;
}

/** The outputs of a stack, by their names. */
export type Outputs = Readonly<Record<string, string>>;

/** Finds the queues of each subscriber by the outputs of the deployed stack. */
export function findPlaces(outputs: Outputs): readonly Place[] {
  return Object.keys(messaging.subscribers).map((name) => {
    const pascal = name.charAt(0).toUpperCase() + name.slice(1);
    return {
      name,
      queueUrl: output(outputs, `QueueUrl${pascal}`),
      deadLetterQueueUrl: output(outputs, `DeadLetterQueueUrl${pascal}`),
    };
  });
}

/** Finds the parts of each subscriber in the model. */
export function findParts(local: LocalStack): readonly Part[] {
  return findPlaces(local.outputs).map((place) => {
    const { name, queueUrl } = place;
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
      ...place,
      queueArn,
      functionName: source.functionName,
      eventSourceId: source.id,
    };
  });
}

/** An output of the stack; says which are there when it is missing. */
export function output(outputs: Outputs, name: string): string {
  const value = outputs[name];
  if (value === undefined)
    throw new Error(
      `The stack has no output ${name}; it has ${Object.keys(outputs).sort().join(', ') || 'none'}.`,
    );
  return value;
}

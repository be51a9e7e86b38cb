import { LambdaClient, paginateListEventSourceMappings } from '@aws-sdk/client-lambda';
import { said } from './errors.ts';
import { impatient } from './patience.ts';

/**
 * A line about functions that consume the same queue, and so take some of its messages away from the worker; `undefined`
 * when there are none. An endpoint may have no Lambda at all: then the line says that nobody could be asked.
 */
export async function rivalsOf(queueArn: string, stop: AbortSignal): Promise<string | undefined> {
  const client = new LambdaClient({ ...impatient, maxAttempts: 1 });
  try {
    const functions: string[] = [];
    for await (const { EventSourceMappings = [] } of paginateListEventSourceMappings(
      { client },
      { EventSourceArn: queueArn },
      { abortSignal: stop },
    ))
      for (const { State, FunctionArn = '' } of EventSourceMappings)
        if (/^(Enabl|Creating|Updating)/i.test(State ?? ''))
          functions.push(FunctionArn.split(':function:')[1] ?? FunctionArn);
    if (functions.length === 0) return undefined;
    return `${functions.join(', ')} consumes the same queue, and takes a part of its messages: deploy with -c sluice:consumers=worker, or disable its event source, to have them all here.`;
  } catch (error) {
    return `Whether a function consumes the same queue is not known: Lambda did not say (${said(error)}).`;
  } finally {
    client.destroy();
  }
}

import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import {
  ChangeMessageVisibilityCommand,
  type ChangeMessageVisibilityCommandInput,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  type ReceiveMessageCommandInput,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import {
  findPlaces,
  type Item,
  output,
  type QueueFigures,
  type Stage,
} from '../../examples/orders/run/index.ts';
import { credentials } from './cdk.ts';

/** How often the queues are asked what they hold, in milliseconds. */
const lookEvery = 500;

/** What a stage on any endpoint has in common: everything is read by the SDK's clients. */
export type Remote = Pick<
  Stage,
  | 'url'
  | 'region'
  | 'places'
  | 'output'
  | 'items'
  | 'sqs'
  | 'look'
  | 'queue'
  | 'duplicated'
  | 'tellsAge'
  | 'alarms'
  | 'onAlarmChange'
> & { close(): void };

/**
 * Reads the deployed stack at an endpoint, and asks its queues again and again what they hold.
 *
 * @param fail - called when the endpoint does not tell any more
 */
export async function openRemote(
  url: string,
  stackName: string,
  fail: (reason: Error) => void,
): Promise<Remote> {
  const settings = {
    endpoint: url,
    region: credentials.AWS_REGION,
    credentials: {
      accessKeyId: credentials.AWS_ACCESS_KEY_ID,
      secretAccessKey: credentials.AWS_SECRET_ACCESS_KEY,
    },
    // A server that hangs must not hold the job for ever.
    requestHandler: new NodeHttpHandler({ requestTimeout: 60_000 }),
  };
  const cloudformation = new CloudFormationClient(settings);
  const sqs = new SQSClient({ ...settings, useQueueUrlAsEndpoint: false });
  const dynamodb = new DynamoDBClient(settings);
  let timer: NodeJS.Timeout | undefined;
  const close = () => {
    clearInterval(timer);
    for (const client of [cloudformation, sqs, dynamodb]) client.destroy();
  };
  try {
    const { Stacks = [] } = await cloudformation.send(new DescribeStacksCommand({ StackName: stackName }));
    const outputs = Object.fromEntries(
      (Stacks[0]?.Outputs ?? []).map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]),
    );
    const places = findPlaces(outputs);
    const figures = new Map<string, QueueFigures>();
    const ask = async () => {
      await Promise.all(
        places.map(async ({ name, queueUrl: QueueUrl }) => {
          const { Attributes = {} }: { Attributes?: Record<string, string> | undefined } = await sqs.send(
            new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }),
          );
          const held = (attribute: string) => Number(Attributes[attribute] ?? 0);
          figures.set(name, {
            waiting: held('ApproximateNumberOfMessages') + held('ApproximateNumberOfMessagesDelayed'),
            inFlight: held('ApproximateNumberOfMessagesNotVisible'),
          });
        }),
      );
    };
    // One look at a time; whoever asks while one is under way waits for the next, which begins after the call.
    let asking: Promise<void> = Promise.resolve();
    let queued: Promise<void> | undefined;
    const look = () => {
      queued ??= asking
        .then(() => new Promise<void>((resolve) => setTimeout(resolve, lookEvery)))
        .then(() => {
          queued = undefined;
          asking = ask();
          return asking;
        });
      return queued;
    };
    timer = setInterval(() => look().catch(fail), 2 * lookEvery);
    return {
      url,
      region: credentials.AWS_REGION,
      places,
      output: (name) => output(outputs, name),
      async items(TableName) {
        const items: Item[] = [];
        for await (const { Items = [] } of paginateScan(
          { client: dynamodb },
          { TableName, ConsistentRead: true },
        ))
          items.push(...Items);
        return items;
      },
      sqs: (action, input) =>
        action === 'ReceiveMessage'
          ? sqs.send(new ReceiveMessageCommand(input as ReceiveMessageCommandInput))
          : sqs.send(new ChangeMessageVisibilityCommand(input as ChangeMessageVisibilityCommandInput)),
      tellsAge: false,
      look,
      queue: (name) => figures.get(name),
      duplicated: () => 0,
      // None of the servers evaluates those that matter: the main run shows them.
      alarms: () => [],
      onAlarmChange: () => {},
      close,
    };
  } catch (error) {
    close();
    throw error;
  }
}

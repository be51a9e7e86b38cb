import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { CreateTopicCommand, SNSClient } from '@aws-sdk/client-sns';
import {
  CreateQueueCommand,
  GetQueueUrlCommand,
  ListQueuesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { GetCallerIdentityCommand, STSClient } from '@aws-sdk/client-sts';
import { type LocalStack, startLocal } from 'sluice/local';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

describe('regions do not see each other’s resources', () => {
  let local: LocalStack;
  beforeAll(async () => {
    local = await startLocal({ port: 0, empty: true });
  });
  afterAll(() => local.stop());
  const as = (region: string) => ({
    region,
    endpoint: local.url,
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    maxAttempts: 1,
  });

  it('a queue is where its client made it, and nowhere else', async () => {
    const virginia = new SQSClient({ ...as('us-east-1'), useQueueUrlAsEndpoint: false });
    const ireland = new SQSClient({ ...as('eu-west-1'), useQueueUrlAsEndpoint: false });
    await virginia.send(new CreateQueueCommand({ QueueName: 'orders' }));
    expect((await ireland.send(new ListQueuesCommand({}))).QueueUrls).toBeUndefined();
    await expect(ireland.send(new GetQueueUrlCommand({ QueueName: 'orders' }))).rejects.toThrow(
      expect.objectContaining({ name: 'QueueDoesNotExist' }),
    );
    const { QueueUrl } = await ireland.send(new CreateQueueCommand({ QueueName: 'orders' }));
    expect(QueueUrl).toBe(`${local.url}/queue/eu-west-1/000000000000/orders`);
    await ireland.send(new SendMessageCommand({ QueueUrl, MessageBody: 'here' }));
    const address = `${local.url}/queue/eu-west-1/000000000000/orders`;
    const unsigned = await fetch(`${address}?Action=GetQueueAttributes&AttributeName.1=QueueArn`);
    expect(await unsigned.text()).toContain('arn:aws:sqs:eu-west-1:000000000000:orders');
    const { Messages } = await ireland.send(new ReceiveMessageCommand({ QueueUrl }));
    expect(Messages?.[0]?.Body).toBe('here');
    expect((await virginia.send(new ListQueuesCommand({}))).QueueUrls).toHaveLength(1);
  });

  it('an ARN names the region', async () => {
    const { TopicArn } = await new SNSClient(as('ap-southeast-2')).send(
      new CreateTopicCommand({ Name: 'orders' }),
    );
    expect(TopicArn).toBe('arn:aws:sns:ap-southeast-2:000000000000:orders');
  });

  it('the account and its stacks: one identity everywhere, stacks of their own', async () => {
    const identity = await new STSClient(as('eu-west-1')).send(new GetCallerIdentityCommand({}));
    expect(identity.Account).toBe('000000000000');
    const { Stacks } = await new CloudFormationClient(as('eu-west-1')).send(new DescribeStacksCommand({}));
    expect(Stacks ?? []).toEqual([]);
  });

  it('a name that is no region’s is the first region', async () => {
    const odd = new SQSClient({ ...as('local'), useQueueUrlAsEndpoint: false });
    const { QueueUrl } = await odd.send(new CreateQueueCommand({ QueueName: 'odd' }));
    const virginia = new SQSClient({ ...as('us-east-1'), useQueueUrlAsEndpoint: false });
    expect((await virginia.send(new GetQueueUrlCommand({ QueueName: 'odd' }))).QueueUrl).toBe(QueueUrl);
  });
});

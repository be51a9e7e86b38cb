import { DeleteStackCommand, DescribeStacksCommand, ListStacksCommand } from '@aws-sdk/client-cloudformation';
import {
  DeleteAlarmsCommand,
  DescribeAlarmsCommand,
  ListTagsForResourceCommand as ListAlarmTagsCommand,
} from '@aws-sdk/client-cloudwatch';
import {
  DeleteTableCommand,
  DescribeTableCommand,
  ListTablesCommand,
  ListTagsOfResourceCommand,
} from '@aws-sdk/client-dynamodb';
import {
  DeleteRoleCommand,
  DeleteRolePolicyCommand,
  ListRolePoliciesCommand,
  ListRolesCommand,
  ListRoleTagsCommand,
} from '@aws-sdk/client-iam';
import {
  DeleteEventSourceMappingCommand,
  DeleteFunctionCommand,
  GetFunctionCommand,
  ListEventSourceMappingsCommand,
  ListFunctionsCommand,
} from '@aws-sdk/client-lambda';
import { DeleteTopicCommand, ListTagsForResourceCommand, ListTopicsCommand } from '@aws-sdk/client-sns';
import { DeleteQueueCommand, ListQueuesCommand, ListQueueTagsCommand } from '@aws-sdk/client-sqs';
import type { Clients } from '../worlds/clients.ts';

/** The tag that everything of a run carries; its value is the run. */
export const tagKey = 'sluice:conformance';

/** Something in the account: what it is called, and by what its service knows it. */
export interface Found {
  readonly name: string;
  readonly id: string;
}

/** One kind of things that a run makes. */
export interface Kind {
  readonly name: string;
  /** Everything of that kind in the account and Region, whoever made it. */
  list(clients: Clients): Promise<readonly Found[]>;
  /** The run that made it, by its tag; `undefined` for what is not of a run, or gone. */
  runOf(clients: Clients, found: Found): Promise<string | undefined>;
  remove(clients: Clients, found: Found): Promise<unknown>;
}

interface Page<Item> {
  readonly items: readonly Item[] | undefined;
  readonly next: string | undefined;
}

/** All pages of a list. */
async function all<Item>(page: (token: string | undefined) => Promise<Page<Item>>): Promise<Item[]> {
  const found: Item[] = [];
  let token: string | undefined;
  do {
    const { items = [], next } = await page(token);
    found.push(...items);
    token = next || undefined;
  } while (token !== undefined);
  return found;
}

const lastOf = (id: string, separator: string) => id.slice(id.lastIndexOf(separator) + 1);
const valueIn = (tags: readonly { Key?: string | undefined; Value?: string | undefined }[] = []) =>
  tags.find(({ Key }) => Key === tagKey)?.Value;

/** In the order in which they are removed: what others need comes last. */
export const kinds: readonly Kind[] = [
  {
    name: 'stack',
    async list({ cloudformation }) {
      const found = await all(async (NextToken) => {
        const { StackSummaries, NextToken: next } = await cloudformation.send(
          new ListStacksCommand({ NextToken }),
        );
        return { items: StackSummaries, next };
      });
      return found
        .filter(({ StackStatus }) => StackStatus !== 'DELETE_COMPLETE')
        .map(({ StackName = '', StackId = '' }) => ({ name: StackName, id: StackId }));
    },
    async runOf({ cloudformation }, { id }) {
      const { Stacks = [] } = await cloudformation.send(new DescribeStacksCommand({ StackName: id }));
      return valueIn(Stacks[0]?.Tags);
    },
    remove: ({ cloudformation }, { id }) => cloudformation.send(new DeleteStackCommand({ StackName: id })),
  },
  {
    name: 'function',
    async list({ lambda }) {
      const found = await all(async (Marker) => {
        const { Functions, NextMarker: next } = await lambda.send(new ListFunctionsCommand({ Marker }));
        return { items: Functions, next };
      });
      return found.map(({ FunctionName = '', FunctionArn = '' }) => ({
        name: FunctionName,
        id: FunctionArn,
      }));
    },
    async runOf({ lambda }, { name }) {
      const { Tags } = await lambda.send(new GetFunctionCommand({ FunctionName: name }));
      return Tags?.[tagKey];
    },
    async remove({ lambda }, { name: FunctionName }) {
      const { EventSourceMappings = [] } = await lambda.send(
        new ListEventSourceMappingsCommand({ FunctionName }),
      );
      for (const { UUID, State } of EventSourceMappings)
        if (State !== 'Deleting') await lambda.send(new DeleteEventSourceMappingCommand({ UUID }));
      await lambda.send(new DeleteFunctionCommand({ FunctionName }));
    },
  },
  ...(['CompositeAlarm', 'MetricAlarm'] as const).map(
    (type): Kind => ({
      name: type === 'CompositeAlarm' ? 'composite alarm' : 'alarm',
      async list({ cloudwatch }) {
        const found = await all(async (NextToken) => {
          const answer = await cloudwatch.send(new DescribeAlarmsCommand({ NextToken, AlarmTypes: [type] }));
          return {
            items: type === 'CompositeAlarm' ? answer.CompositeAlarms : answer.MetricAlarms,
            next: answer.NextToken,
          };
        });
        return found.map(({ AlarmName = '', AlarmArn = '' }) => ({ name: AlarmName, id: AlarmArn }));
      },
      async runOf({ cloudwatch }, { id }) {
        const { Tags } = await cloudwatch.send(new ListAlarmTagsCommand({ ResourceARN: id }));
        return valueIn(Tags);
      },
      remove: ({ cloudwatch }, { name }) => cloudwatch.send(new DeleteAlarmsCommand({ AlarmNames: [name] })),
    }),
  ),
  {
    name: 'topic',
    async list({ sns }) {
      const found = await all(async (token) => {
        const { Topics, NextToken: next } = await sns.send(new ListTopicsCommand({ NextToken: token }));
        return { items: Topics, next };
      });
      return found.map(({ TopicArn = '' }) => ({ name: lastOf(TopicArn, ':'), id: TopicArn }));
    },
    async runOf({ sns }, { id }) {
      const { Tags } = await sns.send(new ListTagsForResourceCommand({ ResourceArn: id }));
      return valueIn(Tags);
    },
    remove: ({ sns }, { id }) => sns.send(new DeleteTopicCommand({ TopicArn: id })),
  },
  {
    name: 'queue',
    async list({ sqs }) {
      const found = await all(async (token) => {
        const { QueueUrls, NextToken: next } = await sqs.send(
          new ListQueuesCommand({ NextToken: token, MaxResults: 1000 }),
        );
        return { items: QueueUrls, next };
      });
      return found.map((url) => ({ name: lastOf(url, '/'), id: url }));
    },
    async runOf({ sqs }, { id }) {
      const { Tags } = await sqs.send(new ListQueueTagsCommand({ QueueUrl: id }));
      return Tags?.[tagKey];
    },
    remove: ({ sqs }, { id }) => sqs.send(new DeleteQueueCommand({ QueueUrl: id })),
  },
  {
    name: 'table',
    async list({ dynamodb }) {
      const found = await all(async (token) => {
        const { TableNames, LastEvaluatedTableName: next } = await dynamodb.send(
          new ListTablesCommand({ ExclusiveStartTableName: token }),
        );
        return { items: TableNames, next };
      });
      return found.map((name) => ({ name, id: name }));
    },
    async runOf({ dynamodb }, { id }) {
      const { Table } = await dynamodb.send(new DescribeTableCommand({ TableName: id }));
      // One that is on its way out has no tags any more, and needs nobody.
      if (Table?.TableStatus === 'DELETING') return undefined;
      const { Tags } = await dynamodb.send(new ListTagsOfResourceCommand({ ResourceArn: Table?.TableArn }));
      return valueIn(Tags);
    },
    remove: ({ dynamodb }, { id }) => dynamodb.send(new DeleteTableCommand({ TableName: id })),
  },
  {
    name: 'role',
    async list({ iam }) {
      const found = await all(async (Marker) => {
        const { Roles, Marker: next } = await iam.send(new ListRolesCommand({ Marker }));
        return { items: Roles, next };
      });
      return found.map(({ RoleName = '' }) => ({ name: RoleName, id: RoleName }));
    },
    async runOf({ iam }, { id }) {
      const { Tags } = await iam.send(new ListRoleTagsCommand({ RoleName: id }));
      return valueIn(Tags);
    },
    async remove({ iam }, { id: RoleName }) {
      const { PolicyNames = [] } = await iam.send(new ListRolePoliciesCommand({ RoleName }));
      for (const PolicyName of PolicyNames)
        await iam.send(new DeleteRolePolicyCommand({ RoleName, PolicyName }));
      await iam.send(new DeleteRoleCommand({ RoleName }));
    },
  },
];

import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Consumer, type ConsumerBinding, type ConsumerWork, RecordsTable } from 'sluice/cdk';
import { handlers, shop } from '../fixtures/shop.ts';

/** A resource of a template. */
export interface Resource {
  readonly Type: string;
  readonly Properties: Readonly<Record<string, unknown>>;
  readonly DependsOn?: readonly string[];
}

/** What a consumer works with, made by hand: the constructs stand alone. */
export function workplace(context: Readonly<Record<string, unknown>> = { 'aws:cdk:bundling-stacks': [] }) {
  const app = new App({ context });
  const stack = new Stack(app, 'Shop');
  const deadLetterQueue = new Queue(stack, 'DeadLetterQueue');
  const queue = new Queue(stack, 'Queue', {
    deadLetterQueue: { queue: deadLetterQueue, maxReceiveCount: 100 },
  });
  const records = new RecordsTable(stack, 'Records');
  const place = { queue, deadLetterQueue, records };
  const work: ConsumerWork = {
    ...place,
    definition: shop.subscribers.analytics,
    entry: `${handlers}/analytics.ts`,
    environment: { STAGE: 'test' },
  };
  const bind = (consumer: Consumer = Consumer.nodejs(), more: Partial<ConsumerWork> = {}): ConsumerBinding =>
    consumer.bind(stack, { ...work, ...more });
  return { app, stack, place, work, bind };
}

/** The resources of a stack by logical id. */
export const resourcesOf = (stack: Stack): Readonly<Record<string, Resource>> =>
  (Template.fromStack(stack).toJSON() as { Resources: Record<string, Resource> }).Resources;

/** The properties of all resources of a type. */
export const propertiesOf = (stack: Stack, type: string): Readonly<Record<string, unknown>>[] =>
  Object.values(resourcesOf(stack))
    .filter(({ Type }) => Type === type)
    .map(({ Properties }) => Properties);

/** What the policies of a stack allow: action, then resource. */
export const allowedIn = (stack: Stack): string[] =>
  propertiesOf(stack, 'AWS::IAM::Policy')
    .flatMap(({ PolicyDocument }) => (PolicyDocument as { Statement: Statement[] }).Statement)
    .flatMap(({ Effect, Action, Resource }) =>
      Effect === 'Allow' ? [Action].flat().map((action) => `${action} ${JSON.stringify(Resource)}`) : [],
    );

interface Statement {
  readonly Effect: string;
  readonly Action: string | string[];
  readonly Resource: unknown;
}

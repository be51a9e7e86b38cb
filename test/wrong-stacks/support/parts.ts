import type { CfnResource } from 'aws-cdk-lib';
import { CfnEventSourceMapping, CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnSubscription } from 'aws-cdk-lib/aws-sns';
import { CfnQueue, CfnQueuePolicy } from 'aws-cdk-lib/aws-sqs';
import type { SubscriberName } from 'sluice';
import type { MessagingStack } from 'sluice/cdk';
import type { shop } from '../../constructs/fixtures/shop.ts';

/** What lies behind a stack of this package, for who reaches through to it. */

type Shop = MessagingStack<typeof shop>;
type Name = SubscriberName<typeof shop>;

const partsOf = (stack: Shop, name: Name): CfnResource[] =>
  stack
    .subscriber(name)
    .node.findAll()
    .filter((each): each is CfnResource => 'cfnResourceType' in each);

/** A queue of a subscriber, by the id of its construct. */
export const queueOf = (stack: Shop, name: Name, id = 'Queue'): CfnQueue =>
  partsOf(stack, name).find(
    (part): part is CfnQueue => part instanceof CfnQueue && part.node.scope?.node.id === id,
  )!;

export const deadLettersOf = (stack: Shop, name: Name): CfnQueue => queueOf(stack, name, 'DeadLetterQueue');

/** The policies of a subscriber's queue. */
export const policiesOf = (stack: Shop, name: Name, id: string): CfnQueuePolicy[] =>
  partsOf(stack, name).filter(
    (part): part is CfnQueuePolicy =>
      part instanceof CfnQueuePolicy && part.node.scopes.some(({ node }) => node.id === id),
  );

export const subscriptionOf = (stack: Shop, name: Name): CfnSubscription =>
  partsOf(stack, name).find((part) => part instanceof CfnSubscription)!;

export const functionOf = (stack: Shop, name: Name): CfnFunction =>
  partsOf(stack, name).find((part) => part instanceof CfnFunction)!;

export const eventSourceOf = (stack: Shop, name: Name): CfnEventSourceMapping =>
  partsOf(stack, name).find((part) => part instanceof CfnEventSourceMapping)!;

import { App, type IPropertyInjector, PropertyInjectors, Stack } from 'aws-cdk-lib';
import {
  FilterOrPolicy,
  Subscription,
  SubscriptionFilter,
  type SubscriptionProps,
  SubscriptionProtocol,
  Topic,
} from 'aws-cdk-lib/aws-sns';
import { SqsSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { MessagingStack, Sluice } from 'sluice/cdk';
import { describe, expect, it } from 'vitest';
import { handlers, shop } from '../constructs/fixtures/shop.ts';
import { synthesize } from '../wrong-stacks/support/specimen.ts';

const placed = SubscriptionFilter.stringFilter({ allowlist: ['placed'] });
const byAttribute = { filterPolicy: { type: placed } };
const byBody = { filterPolicyWithMessageBody: { type: FilterOrPolicy.filter(placed) } };

const mail = (scope: Construct, filters: Partial<SubscriptionProps> = { ...byAttribute, ...byBody }) =>
  new Subscription(scope, 'Mail', {
    topic: new Topic(scope, 'Topic'),
    protocol: SubscriptionProtocol.EMAIL,
    endpoint: 'on-call@example.com',
    ...filters,
  });

const newApp = (context: Record<string, unknown> = {}) => new App({ analyticsReporting: false, context });

describe('A filter on the body that the CDK drops beside one on attributes is refused', () => {
  it('of what is made after the check was asked for', () => {
    const app = newApp();
    Sluice.check(app);
    mail(new Stack(app, 'One'));
    expect(synthesize(app).message).toContain(
      '[One/Mail/Resource] filter-attribute-and-body: found filterPolicy and filterPolicyWithMessageBody',
    );
  });

  it('of what is added to a stack of this package, which asks for itself', () => {
    const app = newApp({ 'aws:cdk:bundling-stacks': [] });
    mail(new MessagingStack(app, 'Shop', { messaging: shop, handlers, alarms: 'none' }));
    expect(synthesize(app).errors).toEqual(['filter-attribute-and-body']);
  });

  it('and one of them alone is not', () => {
    for (const filters of [byAttribute, byBody]) {
      const app = newApp();
      Sluice.check(app);
      mail(new Stack(app, 'One'), filters);
      expect(synthesize(app).errors).toEqual([]);
    }
  });

  it('and a subscription of a queue is not, whose props the CDK notes also where they are left out', () => {
    for (const filters of [{}, byAttribute, byBody]) {
      const app = newApp({ '@aws-cdk/core:enableAdditionalMetadataCollection': true });
      const stack = new Stack(app, 'One');
      const topic = new Topic(stack, 'Topic');
      topic.addSubscription(new SqsSubscription(new Queue(stack, 'Queue'), filters));
      Sluice.check(app);
      expect(synthesize(app).errors).not.toContain('filter-attribute-and-body');
    }
  });

  it('and what an app injects by itself is injected all the same', () => {
    const injector: IPropertyInjector = {
      constructUniqueId: Subscription.PROPERTY_INJECTION_ID,
      inject: (props: SubscriptionProps) => ({ ...props, ...byBody }),
    };
    const app = newApp();
    PropertyInjectors.of(app).add(injector);
    const stack = new Stack(app, 'One');
    Sluice.check(stack);
    Sluice.check(app);
    mail(stack, byAttribute);
    expect(synthesize(app).errors).toEqual(['filter-attribute-and-body']);
  });
});

import { App } from 'aws-cdk-lib';
import { Sluice } from 'sluice/cdk';
import { describe, expect, it } from 'vitest';
import { OrdersStack } from '../../examples/orders/stack.ts';
import { shop } from '../cdk/apps/shop.ts';
import { synthesize } from '../wrong-stacks/support/specimen.ts';

describe('The apps of this repository pass the check', () => {
  it('the example', () => {
    const app = new App({ analyticsReporting: false, context: { 'aws:cdk:bundling-stacks': [] } });
    new OrdersStack(app, 'Orders');
    Sluice.check(app);
    expect(synthesize(app)).toEqual({ errors: [], warnings: [], message: '' });
  });

  it('an app of the CDK alone, silenced where it is meant to be as anybody writes it', () => {
    const app = shop();
    const reason = 'The app shows what the model does with templates as anybody writes them.';
    for (const rule of [
      'dead-letter-retention',
      'subscription-dead-letter-missing',
      'alarm-without-action',
      'receive-margin',
    ] as const)
      Sluice.silence(app, rule, reason);
    Sluice.check(app);
    expect(synthesize(app)).toEqual({ errors: [], warnings: [], message: '' });
  });
});

import { App, Stack } from 'aws-cdk-lib';
import { ContainerImage, FargateTaskDefinition } from 'aws-cdk-lib/aws-ecs';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { Consumer, MessagingStack } from 'sluice/cdk';
import { describe, expect, it } from 'vitest';
import { handlers, shop, shopStack } from '../fixtures/shop.ts';
import { appWith, assetsOf, project } from './project.ts';
import { propertiesOf, resourcesOf } from './support.ts';

const dashboards = (stack: Stack) => JSON.stringify(propertiesOf(stack, 'AWS::CloudWatch::Dashboard'));

describe('A stack', () => {
  it('bundles all its handlers by one run of esbuild', () => {
    const names = ['payments.ts', 'analytics.ts', 'stock-mail.ts'];
    const files = names.map((name) => [name, `export const handler = async () => '${name}';\n`]);
    const { folder, runs } = project(Object.fromEntries(files));
    const { app, outdir } = appWith();
    new MessagingStack(app, 'Handlers', { messaging: shop, handlers: folder });
    expect(runs().map((entries) => entries.length)).toEqual([3]);
    expect(Object.keys(assetsOf(outdir))).toHaveLength(3);
  });

  it('has a container as one of its consumers: nothing of Lambda is made, watched or shown for it', () => {
    const task = (scope: Construct) => {
      const made = new FargateTaskDefinition(scope, 'Task');
      made.addContainer('worker', { image: ContainerImage.fromRegistry('worker') });
      return made;
    };
    const { stack } = shopStack({ subscribers: { payments: { consumer: Consumer.container(task) } } });
    const functions = Object.keys(resourcesOf(stack)).filter((id) => /ConsumerFunction/.test(id));
    expect(functions.map((id) => id.replace(/Subscriber.*/, '')).sort()).toEqual(['Analytics', 'StockMail']);
    const shown = dashboards(stack);
    expect(shown).toContain('AnalyticsSubscriberConsumerFunction');
    expect(shown).not.toContain('PaymentsSubscriberConsumer');
    expect(() => stack.subscriber('payments').function).toThrow(/has no function of this app/);
    expect(stack.subscriber('payments').role).toBeDefined();
  });

  it('has a function of another stack as one of its consumers, and does not wait for that stack', () => {
    const app = new App({ context: { 'aws:cdk:bundling-stacks': [] } });
    const functions = new Stack(app, 'Functions');
    const code = Code.fromInline('def handler(event, context): return {}');
    const charge = new LambdaFunction(functions, 'Charge', {
      runtime: Runtime.PYTHON_3_13,
      handler: 'index.handler',
      code,
    });
    const consumer = Consumer.fromFunction(charge);
    const stack = new MessagingStack(app, 'Shop', {
      messaging: shop,
      handlers,
      subscribers: { payments: { consumer } },
    });
    app.synth();
    expect(stack.dependencies).toEqual([]);
    expect(functions.dependencies).toContain(stack);
    expect(dashboards(stack)).not.toContain('Charge');
  });
});

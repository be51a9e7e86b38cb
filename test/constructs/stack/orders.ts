import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { OrdersStack } from '../../../examples/orders/stack.ts';
import { type KnownResources, knownOf, type TemplateResource } from './ids.ts';

/** The file that holds the ids of the orders stack. */
export const goldenFile = fileURLToPath(new URL('./golden/orders.logical-ids.json', import.meta.url));

/** The example as it is synthesized, without bundles. */
export function ordersTemplate(): Readonly<Record<string, TemplateResource>> {
  const app = new App({ context: { 'aws:cdk:bundling-stacks': [], 'aws:cdk:enable-path-metadata': true } });
  return Template.fromStack(new OrdersStack(app, 'Orders')).toJSON().Resources;
}

export const ordersNow = (): KnownResources => knownOf('Orders', ordersTemplate());

export const ordersThen = (): KnownResources =>
  JSON.parse(readFileSync(goldenFile, 'utf8')) as KnownResources;

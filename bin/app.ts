import { App } from 'aws-cdk-lib';
import { OrdersStack } from '../examples/orders/stack.ts';

new OrdersStack(new App(), 'Orders');

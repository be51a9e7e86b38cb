import { App } from 'aws-cdk-lib';
import { bareStack } from './bare-stack.ts';

bareStack(new App());

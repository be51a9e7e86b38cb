import { App, aws_lambda as lambda, Stack } from 'aws-cdk-lib';

// An app of plain JavaScript: `src` is a folder of the present one.
const app = new App({ analyticsReporting: false });
const stack = new Stack(app, 'Watched');
new lambda.Function(stack, 'Function', {
  functionName: 'watched',
  runtime: lambda.Runtime.NODEJS_20_X,
  handler: 'index.handler',
  code: lambda.Code.fromAsset('src'),
});
app.synth();

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type App, Stack, Validations } from 'aws-cdk-lib';
import { SecurityGroup, Vpc } from 'aws-cdk-lib/aws-ec2';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Tracing } from 'aws-cdk-lib/aws-lambda';
import { CfnQueue } from 'aws-cdk-lib/aws-sqs';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { Consumer } from 'sluice/cdk';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { OrdersStack } from '../../examples/orders/stack.ts';
import { newApp, standard, withKey } from './stacks.ts';

const env = { account: '111111111111', region: 'eu-west-1' };
let outdir: string;

beforeEach(() => {
  vi.stubEnv('CDK_VALIDATION', 'true');
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  outdir = mkdtempSync(join(tmpdir(), 'sluice-nag-'));
});

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  rmSync(outdir, { recursive: true });
});

interface Report {
  readonly pluginReports: readonly {
    readonly pluginName: string;
    readonly violations: readonly {
      readonly ruleName: string;
      readonly violatingConstructs: readonly { readonly constructPath: string }[];
    }[];
  }[];
}

/** What cdk-nag and the CDK's own validation find in an app. */
function findings(app: App): string[] {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app), new ServerlessChecks(app));
  app.synth();
  const report = JSON.parse(readFileSync(join(outdir, 'validation-report.json'), 'utf8')) as Report;
  return report.pluginReports.flatMap(({ pluginName, violations }) =>
    violations.flatMap(({ ruleName, violatingConstructs }) =>
      violatingConstructs.map(({ constructPath }) => `${pluginName} ${ruleName} ${constructPath}`),
    ),
  );
}

/** A network, a key each, mails of alarms, a traced function. */
function everything(app: App) {
  const network = new Stack(app, 'Network', { env });
  const vpc = Vpc.fromVpcAttributes(network, 'Vpc', {
    vpcId: 'vpc-0123456789abcdef0',
    availabilityZones: ['eu-west-1a'],
    privateSubnetIds: ['subnet-0123456789abcdef0'],
  });
  new SecurityGroup(network, 'Group', { vpc });
  new OrdersStack(app, 'Orders', {
    env,
    vpc: vpc as Vpc,
    encryption: 'customerKeys',
    alarmEmails: ['on-call@example.com'],
    subscribers: { payments: { consumer: Consumer.nodejs({ tracing: Tracing.ACTIVE }) } },
  });
}

describe('cdk-nag and the CDK’s own validation have nothing to say', () => {
  it.each([
    ['as it is deployed', standard],
    ['with one customer key', withKey],
    ['to play with', (app: App) => new OrdersStack(app, 'Orders', { stage: 'dev' })],
    ['with all that it takes', everything],
  ])('the example, %s', (_, make) => {
    const app = newApp(outdir);
    make(app);
    expect(findings(app)).toEqual([]);
  });

  it('a right on everything that somebody gives to a function in a network is still found', () => {
    const app = newApp(outdir);
    everything(app);
    const stack = app.node.findChild('Orders') as OrdersStack;
    stack
      .subscriber('email')
      .function.addToRolePolicy(new PolicyStatement({ actions: ['ses:SendEmail'], resources: ['*'] }));
    expect(() => findings(app)).toThrow(/Orders\/EmailSubscriber\/Consumer\/Role[\s\S]*AwsSolutions-IAM5/);
  });

  it('what somebody adds to the stack is still found', () => {
    const app = newApp(outdir);
    new CfnQueue(standard(app), 'Naked');
    expect(() => findings(app)).toThrow(/Orders\/Naked[\s\S]*AwsSolutions-SQS4/);
  });
});

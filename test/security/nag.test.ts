import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type App, Validations } from 'aws-cdk-lib';
import { CfnQueue } from 'aws-cdk-lib/aws-sqs';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { newApp, standard, withKey } from './stacks.ts';

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

describe('cdk-nag and the CDK’s own validation have nothing to say', () => {
  it.each([
    ['as it is deployed', standard],
    ['with one customer key', withKey],
  ])('the example, %s', (_, make) => {
    const app = newApp(outdir);
    make(app);
    expect(findings(app)).toEqual([]);
  });

  it('what somebody adds to the stack is still found', () => {
    const app = newApp(outdir);
    new CfnQueue(standard(app), 'Naked');
    expect(() => findings(app)).toThrow(/Orders\/Naked[\s\S]*AwsSolutions-SQS4/);
  });
});

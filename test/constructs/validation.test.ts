import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { App } from 'aws-cdk-lib';
import type { CfnQueue } from 'aws-cdk-lib/aws-sqs';
import { Sluice } from 'sluice/cdk';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { shopStack } from './fixtures/shop.ts';

let outdir: string;

beforeEach(() => {
  vi.stubEnv('CDK_VALIDATION', 'true');
  outdir = mkdtempSync(join(tmpdir(), 'sluice-validation-'));
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(outdir, { recursive: true });
});

function make() {
  const made = shopStack({}, { outdir, context: { 'aws:cdk:bundling-stacks': [] } });
  Sluice.silence(made.stack, 'alarm-without-action', 'Nobody is on call for a test.');
  return made;
}

/** What the CDK's validation and the constructs' own annotations say about an app. */
function findings(app: App): unknown[] {
  const messages = app.synth().stacks.flatMap((stack) => stack.messages);
  const report = JSON.parse(readFileSync(join(outdir, 'validation-report.json'), 'utf8'));
  return [...messages, ...report.pluginReports];
}

describe('The CDK’s own validation has nothing to say', () => {
  it('a stack has no finding and no warning', () => {
    expect(findings(make().app)).toEqual([]);
  }, 60_000);

  it('a stack with a fault that AWS would refuse has a finding', () => {
    const { app, stack } = make();
    const queue = stack.subscriber('payments').queue.node.defaultChild as CfnQueue;
    queue.visibilityTimeout = 1;
    Sluice.silence(queue, 'visibility-below-timeout', 'The finding is to be the CDK’s.');
    vi.spyOn(console, 'error').mockImplementation(() => undefined);
    expect(JSON.stringify(findings(app))).toContain('E3505');
  }, 60_000);
});

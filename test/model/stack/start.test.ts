import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LocalOptions, LocalStackError, startLocal } from 'sluice/local';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';

let directory: string;

const template = {
  Parameters: { Wait: { Type: 'Number', Default: 30 } },
  Resources: {
    Orders: { Type: 'AWS::SQS::Queue', Properties: { VisibilityTimeout: { Ref: 'Wait' } } },
  },
  Outputs: { Url: { Value: { Ref: 'Orders' } } },
};

/** An app as the CDK's are, without the CDK: it writes an assembly where it is told to. */
const app = `
import { writeFileSync } from 'node:fs';
const out = process.env.CDK_OUTDIR;
writeFileSync('seen.json', JSON.stringify(process.env));
writeFileSync(out + '/Shop.template.json', ${JSON.stringify(JSON.stringify(template))});
writeFileSync(out + '/manifest.json', JSON.stringify({ version: '48.0.0', artifacts: {
  Shop: { type: 'aws:cloudformation:stack', properties: { templateFile: 'Shop.template.json' } },
} }));
`;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'sluice-start-'));
  writeFileSync(join(directory, 'app.mjs'), app);
  writeFileSync(
    join(directory, 'cdk.json'),
    JSON.stringify({ app: 'node app.mjs', context: { colour: 'blue' } }),
  );
  vi.stubEnv('TMPDIR', directory);
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(directory, { recursive: true, force: true });
});

const start = (options: LocalOptions = {}) => startLocal({ port: 0, directory, ...options });
const assemblies = () => readdirSync(directory).filter((name) => name.startsWith('sluice-assembly'));

describe('one call runs the app on this machine', () => {
  test('synthesized, deployed with its parameters, told, and stopped without a trace', async () => {
    const steps: string[] = [];
    const local = await start({ parameters: { Wait: '77' }, progress: (step) => steps.push(step) });
    expect(local.resources.Orders?.type).toBe('AWS::SQS::Queue');
    expect(local.outputs.Url).toBe(local.aws.sqs.queues()[0]?.url);
    expect(local.outputs.Url).toContain(local.url);
    const { Attributes } = (await local.aws.call('sqs', 'GetQueueAttributes', {
      QueueUrl: local.outputs.Url,
      AttributeNames: ['VisibilityTimeout'],
    })) as { Attributes: object };
    expect(Attributes).toEqual({ VisibilityTimeout: '77' });
    expect(steps).toEqual([`AWS model at ${local.url}`, 'Synthesizing the app', 'Deploying stack Shop']);
    await local.stop();
    await local.stop();
    expect(assemblies()).toEqual([]);
    await expect(fetch(local.url)).rejects.toThrow();
  });

  test('what others deploy afterwards is told: how it ended, and what has no effect', async () => {
    const steps: string[] = [];
    const { aws, stop } = await start({ empty: true, progress: (step) => steps.push(step) });
    const deploy = (StackName: string, resource: object) =>
      aws.call('cloudformation', 'CreateStack', {
        StackName,
        TemplateBody: JSON.stringify({ Resources: { Only: resource } }),
      });
    await deploy('Logs', { Type: 'AWS::Logs::LogGroup', Properties: { RetentionInDays: 7 } });
    await deploy('Broken', { Type: 'AWS::SQS::Queue', Properties: { VisibilityTimeout: -1 } });
    await stop();
    expect(steps.slice(1)).toEqual([
      'Stack Logs: CREATE_COMPLETE',
      'Warning: AWS::Logs::LogGroup: RetentionInDays has no effect, the model keeps no logs: Only',
      'Stack Broken: ROLLBACK_IN_PROGRESS. The following resource(s) failed to create: [Only]. Rollback requested by user.',
      'Stack Broken: ROLLBACK_COMPLETE',
    ]);
  });

  test('two stacks whose outputs and resources bear the same names are told apart', async () => {
    const twice = app.replace(
      '} }));',
      `  Shed: { type: 'aws:cloudformation:stack', properties: { templateFile: 'Shop.template.json' } },\n} }));`,
    );
    writeFileSync(join(directory, 'app.mjs'), twice);
    const local = await start();
    expect(local.aws.sqs.queues()).toHaveLength(2);
    expect(
      Object.values(local.stacks)
        .map(({ outputs }) => outputs.Url)
        .sort(),
    ).toEqual(
      local.aws.sqs
        .queues()
        .map(({ url }) => url)
        .sort(),
    );
    expect(Object.keys(local.stacks.Shed?.resources ?? {})).toEqual(['Orders']);
    await local.stop();
  });

  test('in another account and region, if that is wanted', async () => {
    const local = await start({ account: '111122223333', region: 'eu-west-1' });
    expect(local.outputs.Url).toContain('/111122223333/');
    expect(local.aws.sqs.queues()[0]?.arn).toContain(':eu-west-1:111122223333:');
    await local.stop();
  });

  test('the app sees no way to an account, and the context of cdk.json', async () => {
    vi.stubEnv('AWS_PROFILE', 'production');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'real');
    await (await start()).stop();
    const seen = JSON.parse(readFileSync(join(directory, 'seen.json'), 'utf8')) as Record<string, string>;
    const names = Object.keys(seen).filter((name) => name.startsWith('AWS_'));
    expect(names.sort()).toEqual([
      'AWS_ACCESS_KEY_ID',
      'AWS_CONFIG_FILE',
      'AWS_EC2_METADATA_DISABLED',
      'AWS_REGION',
      'AWS_SECRET_ACCESS_KEY',
      'AWS_SHARED_CREDENTIALS_FILE',
    ]);
    expect(seen.AWS_SECRET_ACCESS_KEY).toBe('test');
    expect(JSON.parse(seen.CDK_CONTEXT_JSON ?? '')).toEqual({ colour: 'blue' });
  });

  test('with nothing in it', async () => {
    const local = await start({ empty: true, directory: '/nowhere' });
    expect(local.aws.sqs.queues()).toEqual([]);
    await local.stop();
  });
});

describe('what cannot be started leaves nothing behind', () => {
  test('a parameter that no stack has', async () => {
    await expect(start({ parameters: { Colour: 'red' } })).rejects.toThrow(
      new LocalStackError('No stack has the parameter Colour; there are: Wait.'),
    );
    expect(assemblies()).toEqual([]);
  });

  test('a stack that the app does not have', async () => {
    await expect(start({ stacks: ['Shop', 'Shed'] })).rejects.toMatchObject({ name: 'DeploymentError' });
    expect(assemblies()).toEqual([]);
  });

  test('an app that writes no assembly', async () => {
    await expect(start({ app: 'true' })).rejects.toThrow('ended without writing a cloud assembly');
  });

  test('a start that is called off while the app runs', async () => {
    const abort = new AbortController();
    const starting = start({
      app: 'node -e "setInterval(() => {}, 1000)"',
      signal: abort.signal,
      progress: (step) => step.startsWith('Synthesizing') && abort.abort(new Error('enough')),
    });
    await expect(starting).rejects.toThrow('enough');
    expect(assemblies()).toEqual([]);
  });
});

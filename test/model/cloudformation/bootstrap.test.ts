import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { seededRandom } from '../../../lib/base/index.ts';
import { createVirtualClock } from '../../../local/clock.ts';
import type { Template } from '../../../local/cloudformation/index.ts';
import { createAws } from '../../../local/index.ts';
import { assemblyOf } from './support.ts';

const path = join(
  createRequire(import.meta.url).resolve('aws-cdk/package.json'),
  '../lib/api/bootstrap/bootstrap-template.yaml',
);
const template = parse(readFileSync(path, 'utf8')) as Template;

const bootstrap = async (parameters: Record<string, string> = {}) => {
  const aws = createAws({ clock: createVirtualClock(), random: seededRandom(1) });
  const assembly = assemblyOf({ name: 'CDKToolkit', template, parameters });
  try {
    return { aws, deployed: await aws.cloudformation.deploy(assembly) };
  } finally {
    aws.stop();
  }
};

describe('The stack by which CDK bootstraps an account', () => {
  it('is made as it stands in its command', async () => {
    const { aws, deployed } = await bootstrap();
    expect(deployed.outputs).toMatchObject({
      BucketName: 'cdk-hnb659fds-assets-000000000000-us-east-1',
      BucketDomainName: 'cdk-hnb659fds-assets-000000000000-us-east-1.s3.us-east-1.amazonaws.com',
      ImageRepositoryName: 'cdk-hnb659fds-container-assets-000000000000-us-east-1',
      FileAssetKeyArn: expect.stringMatching(/^arn:aws:kms:us-east-1:000000000000:key\//),
    });
    const Name = '/cdk-bootstrap/hnb659fds/version';
    const { Parameter } = (await aws.call('ssm', 'GetParameter', { Name })) as {
      Parameter: { Value: string };
    };
    expect(Parameter.Value).toBe(deployed.outputs.BootstrapVersion);
    const { Roles } = (await aws.call('iam', 'ListRoles', {})) as { Roles: { RoleName: string }[] };
    expect(Roles.map(({ RoleName }) => RoleName.split('-')[2]).sort()).toEqual([
      'cfn',
      'deploy',
      'file',
      'image',
      'lookup',
    ]);
    const Bucket = deployed.outputs.BucketName!;
    expect(await aws.call('s3', 'GetBucketVersioning', { Bucket })).toEqual({ Status: 'Enabled' });
    expect(await aws.call('s3', 'GetBucketLifecycleConfiguration', { Bucket })).toEqual({
      Rules: [
        {
          ID: 'CleanupOldVersions',
          Status: 'Enabled',
          Filter: { Prefix: '' },
          NoncurrentVersionExpiration: { NoncurrentDays: 30 },
        },
        {
          ID: 'AbortIncompleteMultipartUploads',
          Status: 'Enabled',
          Filter: { Prefix: '' },
          AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 },
        },
      ],
    });
  });

  it('is made with everything that it can be asked for', async () => {
    const { aws, deployed } = await bootstrap({
      TrustedAccounts: '111111111111',
      TrustedAccountsForLookup: '222222222222',
      CloudFormationExecutionPolicies: 'arn:aws:iam::aws:policy/PowerUserAccess',
      UseExamplePermissionsBoundary: 'true',
      InputPermissionsBoundary: 'boundary',
      ApplyPermissionsBoundaryToAllRoles: 'true',
      PublicAccessBlockConfiguration: 'false',
      FileAssetsBucketName: 'my-assets',
      FileAssetsBucketKmsKeyId: 'AWS_MANAGED_KEY',
      Qualifier: 'mine',
    });
    expect(deployed.outputs.BucketName).toBe('my-assets');
    expect(deployed.resources.CdkBoostrapPermissionsBoundaryPolicy?.physicalId).toBe(
      'arn:aws:iam::000000000000:policy/cdk-mine-permissions-boundary-000000000000-us-east-1',
    );
    const bounds = aws.iam.store.roles().map(({ permissionsBoundary }) => permissionsBoundary);
    expect(new Set(bounds)).toEqual(new Set(['arn:aws:iam::000000000000:policy/boundary']));
    await aws.call('cloudformation', 'DeleteStack', { StackName: 'CDKToolkit' });
    expect(await aws.call('iam', 'ListRoles', {})).toMatchObject({ Roles: [] });
  });
});

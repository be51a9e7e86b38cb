import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteBucketPolicyCommand,
  GetBucketAclCommand,
  GetBucketEncryptionCommand,
  GetBucketLifecycleConfigurationCommand,
  GetBucketLocationCommand,
  GetBucketOwnershipControlsCommand,
  GetBucketPolicyCommand,
  GetBucketTaggingCommand,
  GetObjectCommand,
  GetPublicAccessBlockCommand,
  HeadBucketCommand,
  ListBucketsCommand,
  ListObjectsV2Command,
  PutBucketEncryptionCommand,
  PutBucketLifecycleConfigurationCommand,
  PutBucketPolicyCommand,
  PutBucketTaggingCommand,
  PutPublicAccessBlockCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { seededRandom } from 'sluice/local';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../../local/clock.ts';
import { createS3 } from '../../../local/s3/index.ts';
import { type Running, runAws } from '../http/running.ts';

let running: Running;
let s3: S3Client;
const Bucket = 'settings';

beforeAll(async () => {
  running = await runAws();
  s3 = new S3Client(running.settings);
  await s3.send(new CreateBucketCommand({ Bucket }));
});

afterAll(() => running.stop());

describe('a bucket', () => {
  it('is there after it was made, in the region of the model, and gone after it was deleted', async () => {
    const name = 'one-of-mine';
    await s3.send(new CreateBucketCommand({ Bucket: name }));
    // us-east-1 answers a second call as the first.
    await s3.send(new CreateBucketCommand({ Bucket: name }));
    expect((await s3.send(new HeadBucketCommand({ Bucket: name }))).BucketRegion).toBe('us-east-1');
    expect(
      (await s3.send(new GetBucketLocationCommand({ Bucket: name }))).LocationConstraint,
    ).toBeUndefined();
    const { Buckets = [] } = await s3.send(new ListBucketsCommand({}));
    expect(Buckets.map(({ Name }) => Name)).toEqual([name, Bucket]);
    await s3.send(new DeleteBucketCommand({ Bucket: name }));
    await expect(s3.send(new HeadBucketCommand({ Bucket: name }))).rejects.toMatchObject({
      name: 'NotFound',
      $metadata: { httpStatusCode: 404 },
    });
    await expect(s3.send(new ListObjectsV2Command({ Bucket: name }))).rejects.toMatchObject({
      name: 'NoSuchBucket',
    });
    await expect(s3.send(new GetObjectCommand({ Bucket: name, Key: 'k' }))).rejects.toMatchObject({
      name: 'NoSuchBucket',
    });
  });

  it.each(['ab', 'Upper', 'has_underscore', '-begins', '127.0.0.1', 'two..dots'])(
    'cannot be called %s',
    async (name) => {
      await expect(s3.send(new CreateBucketCommand({ Bucket: name }))).rejects.toMatchObject({
        name: 'InvalidBucketName',
      });
    },
  );

  it('elsewhere than the model is refused; in another region of the model it says where it is', async () => {
    await expect(
      s3.send(
        new CreateBucketCommand({
          Bucket: 'far',
          CreateBucketConfiguration: { LocationConstraint: 'eu-west-1' },
        }),
      ),
    ).rejects.toMatchObject({ message: expect.stringContaining("The model's region is us-east-1") });
    const european = await runAws({ region: 'eu-west-1' });
    const client = new S3Client({ ...european.settings, region: 'eu-west-1' });
    await client.send(new CreateBucketCommand({ Bucket: 'near' }));
    await expect(client.send(new CreateBucketCommand({ Bucket: 'near' }))).rejects.toMatchObject({
      name: 'BucketAlreadyOwnedByYou',
    });
    expect((await client.send(new GetBucketLocationCommand({ Bucket: 'near' }))).LocationConstraint).toBe(
      'eu-west-1',
    );
    await european.stop();
  });
});

describe('settings are kept and shown', () => {
  it('a new bucket has those that AWS gives it', async () => {
    const encryption = await s3.send(new GetBucketEncryptionCommand({ Bucket }));
    expect(encryption.ServerSideEncryptionConfiguration?.Rules).toMatchObject([
      { ApplyServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } },
    ]);
    const access = await s3.send(new GetPublicAccessBlockCommand({ Bucket }));
    expect(access.PublicAccessBlockConfiguration).toEqual({
      BlockPublicAcls: true,
      IgnorePublicAcls: true,
      BlockPublicPolicy: true,
      RestrictPublicBuckets: true,
    });
    const ownership = await s3.send(new GetBucketOwnershipControlsCommand({ Bucket }));
    expect(ownership.OwnershipControls?.Rules).toEqual([{ ObjectOwnership: 'BucketOwnerEnforced' }]);
    for (const [name, command] of [
      ['NoSuchBucketPolicy', new GetBucketPolicyCommand({ Bucket })],
      ['NoSuchLifecycleConfiguration', new GetBucketLifecycleConfigurationCommand({ Bucket })],
      ['NoSuchTagSet', new GetBucketTaggingCommand({ Bucket })],
    ] as const)
      await expect(s3.send(command as GetBucketPolicyCommand)).rejects.toMatchObject({ name });
  });

  it('and what was put comes back', async () => {
    const Rules = [{ ApplyServerSideEncryptionByDefault: { SSEAlgorithm: 'aws:kms' as const } }];
    await s3.send(new PutBucketEncryptionCommand({ Bucket, ServerSideEncryptionConfiguration: { Rules } }));
    const rules = [
      {
        ID: 'old & gone',
        Status: 'Enabled' as const,
        Filter: { Prefix: 'a<b' },
        NoncurrentVersionExpiration: { NoncurrentDays: 30 },
      },
    ];
    await s3.send(
      new PutBucketLifecycleConfigurationCommand({ Bucket, LifecycleConfiguration: { Rules: rules } }),
    );
    const TagSet = [{ Key: 'team', Value: 'orders' }];
    await s3.send(new PutBucketTaggingCommand({ Bucket, Tagging: { TagSet } }));
    const Policy = '{"Version":"2012-10-17","Statement":[]}';
    await s3.send(new PutBucketPolicyCommand({ Bucket, Policy }));
    const block = { BlockPublicAcls: true, IgnorePublicAcls: false };
    await s3.send(new PutPublicAccessBlockCommand({ Bucket, PublicAccessBlockConfiguration: block }));

    const { ServerSideEncryptionConfiguration } = await s3.send(new GetBucketEncryptionCommand({ Bucket }));
    expect(ServerSideEncryptionConfiguration).toEqual({ Rules });
    expect((await s3.send(new GetBucketLifecycleConfigurationCommand({ Bucket }))).Rules).toEqual(rules);
    expect((await s3.send(new GetBucketTaggingCommand({ Bucket }))).TagSet).toEqual(TagSet);
    expect((await s3.send(new GetBucketPolicyCommand({ Bucket }))).Policy).toBe(Policy);
    expect(
      (await s3.send(new GetPublicAccessBlockCommand({ Bucket }))).PublicAccessBlockConfiguration,
    ).toEqual(block);
    await s3.send(new DeleteBucketPolicyCommand({ Bucket }));
    await expect(s3.send(new GetBucketPolicyCommand({ Bucket }))).rejects.toMatchObject({
      name: 'NoSuchBucketPolicy',
    });
    await expect(s3.send(new PutBucketPolicyCommand({ Bucket, Policy: '{' }))).rejects.toMatchObject({
      name: 'MalformedPolicy',
    });
  });

  it('what the model does not have is refused with what it has', async () => {
    await expect(s3.send(new GetBucketAclCommand({ Bucket }))).rejects.toMatchObject({
      message: expect.stringMatching(/no action "GetBucketAcl" of s3. It knows: .*GetBucketPolicy/),
    });
  });
});

describe('memory has a bound', () => {
  it('objects that are too large are refused, and what is deleted makes room', async () => {
    const model = createS3(
      {
        clock: createVirtualClock(),
        random: seededRandom(1),
        account: '000000000000',
        region: 'us-east-1',
      },
      { object: 256, all: 1024 },
    );
    const call = (action: string, input: object) => model.operations[action]?.({ Bucket, ...input }, {});
    call('CreateBucket', {});
    expect(() => call('PutObject', { Key: 'k', Body: new Uint8Array(257) })).toThrow(
      'The object has 257 bytes; the model takes at most 256.',
    );
    const Body = new Uint8Array(200);
    for (const Key of ['1', '2', '3', '4', '5']) call('PutObject', { Key, Body });
    expect(() => call('PutObject', { Key: '6', Body })).toThrow('delete some first');
    call('DeleteObject', { Key: '1' });
    call('PutObject', { Key: '6', Body });
    // What is overwritten counts once.
    call('DeleteObject', { Key: '2' });
    for (let count = 0; count < 3; count++) call('PutObject', { Key: '3', Body });
  });
});

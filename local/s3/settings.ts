import type {
  GetBucketCorsCommandInput,
  GetBucketEncryptionCommandInput,
  GetBucketLifecycleConfigurationCommandInput,
  GetBucketOwnershipControlsCommandInput,
  GetBucketPolicyCommandInput,
  GetBucketTaggingCommandInput,
  GetPublicAccessBlockCommandInput,
  PutBucketCorsCommandInput,
  PutBucketEncryptionCommandInput,
  PutBucketLifecycleConfigurationCommandInput,
  PutBucketOwnershipControlsCommandInput,
  PutBucketPolicyCommandInput,
  PutBucketTaggingCommandInput,
  PutPublicAccessBlockCommandInput,
} from '@aws-sdk/client-s3';
import { malformedPolicy, noSetting } from './errors.ts';
import type { Buckets } from './store.ts';

/** What a new bucket has of itself (S3 user guide: default encryption, Block Public Access, Object Ownership). */
const defaults: Readonly<Record<string, unknown>> = {
  Encryption: {
    Rules: [{ ApplyServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' }, BucketKeyEnabled: false }],
  },
  PublicAccessBlock: {
    BlockPublicAcls: true,
    IgnorePublicAcls: true,
    BlockPublicPolicy: true,
    RestrictPublicBuckets: true,
  },
  OwnershipControls: { Rules: [{ ObjectOwnership: 'BucketOwnerEnforced' }] },
};

/** Settings of buckets are kept and shown: nothing of the model acts by them. */
export function settingActions({ get }: Buckets) {
  const put = (bucket: string | undefined, name: string, value: unknown): Record<string, never> => {
    get(bucket).settings.set(name, value);
    return {};
  };
  // A default that was deleted is gone: `undefined` is kept in its place.
  const read = <Value>(bucket: string | undefined, name: string, code: string, message: string): Value => {
    const { settings } = get(bucket);
    const value = settings.has(name) ? settings.get(name) : defaults[name];
    if (value === undefined) throw noSetting(code, message, bucket);
    return value as Value;
  };
  const remove =
    (name: string) =>
    ({ Bucket }: { readonly Bucket: string | undefined }): Record<string, never> => {
      // Encryption cannot be without: its default comes back (S3 API reference, DeleteBucketEncryption).
      if (name === 'Encryption') get(Bucket).settings.delete(name);
      else get(Bucket).settings.set(name, undefined);
      return {};
    };
  return {
    PutBucketEncryption: (input: PutBucketEncryptionCommandInput) =>
      put(input.Bucket, 'Encryption', input.ServerSideEncryptionConfiguration),
    GetBucketEncryption: ({ Bucket }: GetBucketEncryptionCommandInput) => ({
      ServerSideEncryptionConfiguration: read<
        PutBucketEncryptionCommandInput['ServerSideEncryptionConfiguration']
      >(
        Bucket,
        'Encryption',
        'ServerSideEncryptionConfigurationNotFoundError',
        'The server side encryption configuration was not found',
      ),
    }),
    DeleteBucketEncryption: remove('Encryption'),
    PutBucketPolicy(input: PutBucketPolicyCommandInput) {
      try {
        JSON.parse(input.Policy ?? '');
      } catch {
        throw malformedPolicy('Policies must be valid JSON and the first byte must be "{"');
      }
      return put(input.Bucket, 'Policy', input.Policy);
    },
    GetBucketPolicy: ({ Bucket }: GetBucketPolicyCommandInput) => ({
      Policy: read<string>(Bucket, 'Policy', 'NoSuchBucketPolicy', 'The bucket policy does not exist'),
    }),
    DeleteBucketPolicy: remove('Policy'),
    PutPublicAccessBlock: (input: PutPublicAccessBlockCommandInput) =>
      put(input.Bucket, 'PublicAccessBlock', input.PublicAccessBlockConfiguration),
    GetPublicAccessBlock: ({ Bucket }: GetPublicAccessBlockCommandInput) => ({
      PublicAccessBlockConfiguration: read<
        PutPublicAccessBlockCommandInput['PublicAccessBlockConfiguration']
      >(
        Bucket,
        'PublicAccessBlock',
        'NoSuchPublicAccessBlockConfiguration',
        'The public access block configuration was not found',
      ),
    }),
    DeletePublicAccessBlock: remove('PublicAccessBlock'),
    PutBucketLifecycleConfiguration: (input: PutBucketLifecycleConfigurationCommandInput) =>
      put(input.Bucket, 'Lifecycle', input.LifecycleConfiguration),
    GetBucketLifecycleConfiguration({ Bucket }: GetBucketLifecycleConfigurationCommandInput) {
      const { Rules } = read<
        NonNullable<PutBucketLifecycleConfigurationCommandInput['LifecycleConfiguration']>
      >(Bucket, 'Lifecycle', 'NoSuchLifecycleConfiguration', 'The lifecycle configuration does not exist');
      return { Rules };
    },
    DeleteBucketLifecycle: remove('Lifecycle'),
    PutBucketOwnershipControls: (input: PutBucketOwnershipControlsCommandInput) =>
      put(input.Bucket, 'OwnershipControls', input.OwnershipControls),
    GetBucketOwnershipControls: ({ Bucket }: GetBucketOwnershipControlsCommandInput) => ({
      OwnershipControls: read<PutBucketOwnershipControlsCommandInput['OwnershipControls']>(
        Bucket,
        'OwnershipControls',
        'OwnershipControlsNotFoundError',
        'The bucket ownership controls were not found',
      ),
    }),
    DeleteBucketOwnershipControls: remove('OwnershipControls'),
    PutBucketTagging: (input: PutBucketTaggingCommandInput) =>
      put(input.Bucket, 'Tagging', input.Tagging?.TagSet ?? []),
    GetBucketTagging: ({ Bucket }: GetBucketTaggingCommandInput) => ({
      TagSet: read<NonNullable<PutBucketTaggingCommandInput['Tagging']>['TagSet']>(
        Bucket,
        'Tagging',
        'NoSuchTagSet',
        'The TagSet does not exist',
      ),
    }),
    DeleteBucketTagging: remove('Tagging'),
    PutBucketCors: (input: PutBucketCorsCommandInput) => put(input.Bucket, 'Cors', input.CORSConfiguration),
    GetBucketCors({ Bucket }: GetBucketCorsCommandInput) {
      const { CORSRules } = read<NonNullable<PutBucketCorsCommandInput['CORSConfiguration']>>(
        Bucket,
        'Cors',
        'NoSuchCORSConfiguration',
        'The CORS configuration does not exist',
      );
      return { CORSRules };
    },
    DeleteBucketCors: remove('Cors'),
  };
}

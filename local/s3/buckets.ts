import type {
  CreateBucketCommandInput,
  DeleteBucketCommandInput,
  GetBucketLocationCommandInput,
  GetBucketVersioningCommandInput,
  HeadBucketCommandInput,
  ListBucketsCommandInput,
  PutBucketVersioningCommandInput,
} from '@aws-sdk/client-s3';
import type { ModelContext } from '../service.ts';
import { invalidArgument, invalidBucketName, notEmpty, ownedAlready } from './errors.ts';
import type { Bucket, Buckets } from './store.ts';

/** Names of buckets (S3 user guide, "General purpose bucket naming rules"). */
const allowedName = /^(?!\d+\.\d+\.\d+\.\d+$)(?!xn--)(?!.*\.\.)[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

/** The actions on buckets as such. */
export function bucketActions(context: Pick<ModelContext, 'clock' | 'region' | 'account'>, store: Buckets) {
  const { buckets, get } = store;
  // As on AWS, an empty constraint stands for us-east-1.
  const location = context.region === 'us-east-1' ? undefined : context.region;
  return {
    CreateBucket(input: CreateBucketCommandInput) {
      const { Bucket: name = '' } = input;
      if (!allowedName.test(name)) throw invalidBucketName(input.Bucket);
      const wanted = input.CreateBucketConfiguration?.LocationConstraint;
      if (wanted !== undefined && wanted !== location)
        throw invalidArgument(
          `The model's region is ${context.region}; a bucket in "${wanted}" cannot be made. Leave LocationConstraint out for us-east-1.`,
        );
      if (buckets.has(name)) {
        // us-east-1 answers a repeated call as the first one (S3 API reference, CreateBucket).
        if (location !== undefined) throw ownedAlready(name);
        return { Location: `/${name}` };
      }
      const bucket: Bucket = {
        name,
        createdAt: context.clock.now(),
        versioning: undefined,
        objects: new Map(),
        uploads: new Map(),
        settings: new Map(),
      };
      if (input.ObjectOwnership !== undefined)
        bucket.settings.set('OwnershipControls', { Rules: [{ ObjectOwnership: input.ObjectOwnership }] });
      buckets.set(name, bucket);
      return { Location: `/${name}` };
    },
    DeleteBucket({ Bucket }: DeleteBucketCommandInput) {
      const bucket = get(Bucket);
      if (bucket.objects.size > 0) throw notEmpty(Bucket);
      for (const { parts } of bucket.uploads.values())
        for (const { body } of parts.values()) store.release(body.length);
      buckets.delete(bucket.name);
      return {};
    },
    HeadBucket({ Bucket }: HeadBucketCommandInput) {
      get(Bucket);
      return { BucketRegion: context.region };
    },
    ListBuckets: ({ Prefix = '' }: ListBucketsCommandInput) => ({
      Buckets: [...buckets.values()]
        .filter(({ name }) => name.startsWith(Prefix))
        .sort((a, b) => (a.name < b.name ? -1 : 1))
        .map(({ name, createdAt }) => ({ Name: name, CreationDate: new Date(createdAt) })),
      Owner: { ID: context.account },
    }),
    GetBucketLocation({ Bucket }: GetBucketLocationCommandInput) {
      get(Bucket);
      return { LocationConstraint: location };
    },
    PutBucketVersioning({ Bucket, VersioningConfiguration }: PutBucketVersioningCommandInput) {
      const status = VersioningConfiguration?.Status;
      if (status !== 'Enabled' && status !== 'Suspended')
        throw invalidArgument(`The status of versioning is "${status}"; allowed are Enabled and Suspended.`);
      get(Bucket).versioning = status;
      return {};
    },
    GetBucketVersioning({ Bucket }: GetBucketVersioningCommandInput) {
      const { versioning } = get(Bucket);
      return versioning === undefined ? {} : { Status: versioning };
    },
  };
}

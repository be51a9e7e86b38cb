import { entries, type Input, members, type Row, type Rows, text } from './row.ts';

const bucketOf = ({ Bucket }: Input): string => `arn:aws:s3:::${text(Bucket)}`;
const objectOf = ({ Bucket, Key }: Input): string => `arn:aws:s3:::${text(Bucket)}/${text(Key)}`;

const onBucket =
  (action: string): Row =>
  (input) => ({ action: `s3:${action}`, resource: bucketOf(input) });
const onObject =
  (action: string): Row =>
  (input) => ({ action: `s3:${action}`, resource: objectOf(input) });

/** Service Authorization Reference, "Actions, resources, and condition keys for Amazon S3": many names are not the API's. */
export const s3: Rows = {
  ListBuckets: () => ({ action: 's3:ListAllMyBuckets', resource: '*' }),
  CreateBucket: onBucket('CreateBucket'),
  DeleteBucket: onBucket('DeleteBucket'),
  HeadBucket: onBucket('ListBucket'),
  ListObjects: onBucket('ListBucket'),
  ListObjectsV2: onBucket('ListBucket'),
  ListObjectVersions: onBucket('ListBucketVersions'),
  ListMultipartUploads: onBucket('ListBucketMultipartUploads'),
  GetBucketLocation: onBucket('GetBucketLocation'),
  PutBucketVersioning: onBucket('PutBucketVersioning'),
  GetBucketVersioning: onBucket('GetBucketVersioning'),
  PutBucketEncryption: onBucket('PutEncryptionConfiguration'),
  GetBucketEncryption: onBucket('GetEncryptionConfiguration'),
  DeleteBucketEncryption: onBucket('PutEncryptionConfiguration'),
  PutBucketPolicy: onBucket('PutBucketPolicy'),
  GetBucketPolicy: onBucket('GetBucketPolicy'),
  DeleteBucketPolicy: onBucket('DeleteBucketPolicy'),
  PutPublicAccessBlock: onBucket('PutBucketPublicAccessBlock'),
  GetPublicAccessBlock: onBucket('GetBucketPublicAccessBlock'),
  DeletePublicAccessBlock: onBucket('PutBucketPublicAccessBlock'),
  PutBucketLifecycleConfiguration: onBucket('PutLifecycleConfiguration'),
  GetBucketLifecycleConfiguration: onBucket('GetLifecycleConfiguration'),
  DeleteBucketLifecycle: onBucket('PutLifecycleConfiguration'),
  PutBucketOwnershipControls: onBucket('PutBucketOwnershipControls'),
  GetBucketOwnershipControls: onBucket('GetBucketOwnershipControls'),
  DeleteBucketOwnershipControls: onBucket('PutBucketOwnershipControls'),
  PutBucketTagging: onBucket('PutBucketTagging'),
  GetBucketTagging: onBucket('GetBucketTagging'),
  DeleteBucketTagging: onBucket('PutBucketTagging'),
  PutBucketCors: onBucket('PutBucketCORS'),
  GetBucketCors: onBucket('GetBucketCORS'),
  DeleteBucketCors: onBucket('PutBucketCORS'),
  PutObject: onObject('PutObject'),
  GetObject: onObject('GetObject'),
  HeadObject: onObject('GetObject'),
  DeleteObject: onObject('DeleteObject'),
  DeleteObjects: (input) =>
    entries(members(input.Delete).Objects).map(({ Key }) => ({
      action: 's3:DeleteObject',
      resource: objectOf({ Bucket: input.Bucket, Key }),
    })),
  CopyObject: (input) => [
    { action: 's3:GetObject', resource: `arn:aws:s3:::${sourceOf(text(input.CopySource))}` },
    { action: 's3:PutObject', resource: objectOf(input) },
  ],
  GetObjectTagging: onObject('GetObjectTagging'),
  PutObjectTagging: onObject('PutObjectTagging'),
  DeleteObjectTagging: onObject('DeleteObjectTagging'),
  CreateMultipartUpload: onObject('PutObject'),
  UploadPart: onObject('PutObject'),
  CompleteMultipartUpload: onObject('PutObject'),
  AbortMultipartUpload: onObject('AbortMultipartUpload'),
  ListParts: onObject('ListMultipartUploadParts'),
};

/** `/bucket/key?versionId=…`, encoded as in an address. */
function sourceOf(source: string): string {
  const path = source.replace(/^\//, '').split('?', 1)[0] as string;
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

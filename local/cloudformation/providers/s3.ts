import {
  asBoolean,
  asNumber,
  asText,
  call,
  defined,
  type Properties,
  type ProviderContext,
  type ResourceProvider,
  tagsOf,
} from '../provider.ts';
import { isObject } from '../template.ts';
import { differs, orRemoved, refuseTaken, tagList, unlessGone } from './changes.ts';

const gone = ['NoSuchBucket'];

const entriesOf = (value: unknown, name: string): readonly Properties[] =>
  isObject(value) && Array.isArray(value[name]) ? value[name].filter(isObject) : [];

/** A setting of a bucket: the call that sets it, and the one that gives a bucket back what a new one has. */
interface Setting {
  readonly property: string;
  put(wanted: unknown): readonly [action: string, input: object];
  readonly reset: readonly [action: string, input: object];
}

const flags = ['BlockPublicAcls', 'BlockPublicPolicy', 'IgnorePublicAcls', 'RestrictPublicBuckets'] as const;
const blocked = (read: (flag: string) => boolean) => ({
  PublicAccessBlockConfiguration: Object.fromEntries(flags.map((flag) => [flag, read(flag)])),
});

const settings: readonly Setting[] = [
  {
    property: 'BucketEncryption',
    put: (wanted) => [
      'PutBucketEncryption',
      {
        ServerSideEncryptionConfiguration: {
          Rules: entriesOf(wanted, 'ServerSideEncryptionConfiguration').map((rule) =>
            defined({
              ApplyServerSideEncryptionByDefault: rule.ServerSideEncryptionByDefault,
              BucketKeyEnabled: asBoolean(rule.BucketKeyEnabled),
            }),
          ),
        },
      },
    ],
    reset: ['DeleteBucketEncryption', {}],
  },
  {
    property: 'PublicAccessBlockConfiguration',
    put: (wanted) => [
      'PutPublicAccessBlock',
      blocked((flag) => isObject(wanted) && asBoolean(wanted[flag]) === true),
    ],
    // A new bucket blocks public access (S3 user guide, "Blocking public access").
    reset: ['PutPublicAccessBlock', blocked(() => true)],
  },
  {
    property: 'OwnershipControls',
    put: (wanted) => ['PutBucketOwnershipControls', { OwnershipControls: wanted }],
    reset: [
      'PutBucketOwnershipControls',
      { OwnershipControls: { Rules: [{ ObjectOwnership: 'BucketOwnerEnforced' }] } },
    ],
  },
  {
    property: 'VersioningConfiguration',
    put: (wanted) => ['PutBucketVersioning', { VersioningConfiguration: wanted }],
    // Versioning that was on is never off again, only suspended (S3 user guide, "Using versioning").
    reset: ['PutBucketVersioning', { VersioningConfiguration: { Status: 'Suspended' } }],
  },
  {
    property: 'LifecycleConfiguration',
    put: (wanted) => [
      'PutBucketLifecycleConfiguration',
      { LifecycleConfiguration: { Rules: entriesOf(wanted, 'Rules').map(lifecycleRule) } },
    ],
    reset: ['DeleteBucketLifecycle', {}],
  },
  {
    property: 'CorsConfiguration',
    put: (wanted) => [
      'PutBucketCors',
      {
        CORSConfiguration: {
          CORSRules: entriesOf(wanted, 'CorsRules').map(({ Id, MaxAge, ExposedHeaders, ...rule }) =>
            defined({ ...rule, ID: Id, MaxAgeSeconds: asNumber(MaxAge), ExposeHeaders: ExposedHeaders }),
          ),
        },
      },
    ],
    reset: ['DeleteBucketCors', {}],
  },
  {
    property: 'Tags',
    put: (wanted) => ['PutBucketTagging', { Tagging: { TagSet: tagList(tagsOf(wanted)) } }],
    reset: ['DeleteBucketTagging', {}],
  },
];

/** A lifecycle rule in the words of S3's API. */
function lifecycleRule(rule: Properties): object {
  const tags = Array.isArray(rule.TagFilters) ? rule.TagFilters : [];
  const filter = defined({
    Prefix: rule.Prefix,
    ObjectSizeGreaterThan: asNumber(rule.ObjectSizeGreaterThan),
    ObjectSizeLessThan: asNumber(rule.ObjectSizeLessThan),
  });
  const several = Object.keys(filter).length + tags.length > 1;
  const noncurrent = rule.NoncurrentVersionExpiration ?? {
    NoncurrentDays: rule.NoncurrentVersionExpirationInDays,
  };
  const expiration = defined({
    Days: asNumber(rule.ExpirationInDays),
    Date: rule.ExpirationDate,
    ExpiredObjectDeleteMarker: asBoolean(rule.ExpiredObjectDeleteMarker),
  });
  const transition = ({ StorageClass, TransitionInDays, TransitionDate }: Properties) =>
    defined({ StorageClass, Days: asNumber(TransitionInDays), Date: TransitionDate });
  const transitions = entriesOf(rule, 'Transitions').map(transition);
  const noncurrentTransitions = entriesOf(rule, 'NoncurrentVersionTransitions').map(
    ({ StorageClass, TransitionInDays, NewerNoncurrentVersions }) =>
      defined({
        StorageClass,
        NoncurrentDays: asNumber(TransitionInDays),
        NewerNoncurrentVersions: asNumber(NewerNoncurrentVersions),
      }),
  );
  const numbers = (value: unknown) =>
    isObject(value)
      ? defined(Object.fromEntries(Object.entries(value).map(([name, each]) => [name, asNumber(each)])))
      : undefined;
  const numbered = numbers(noncurrent);
  return defined({
    ID: rule.Id,
    Status: rule.Status,
    Filter: several
      ? { And: defined({ ...filter, Tags: tags.length > 0 ? tags : undefined }) }
      : filterOf(filter, tags),
    Expiration: Object.keys(expiration).length > 0 ? expiration : undefined,
    NoncurrentVersionExpiration: Object.keys(numbered ?? {}).length > 0 ? numbered : undefined,
    AbortIncompleteMultipartUpload: numbers(rule.AbortIncompleteMultipartUpload),
    Transitions: transitions.length > 0 ? transitions : undefined,
    NoncurrentVersionTransitions: noncurrentTransitions.length > 0 ? noncurrentTransitions : undefined,
  });
}

const filterOf = (filter: object, tags: readonly unknown[]): object =>
  tags.length === 1 ? { Tag: tags[0] } : Object.keys(filter).length > 0 ? filter : { Prefix: '' };

async function apply(
  Bucket: string,
  [action, input]: readonly [string, object],
  { services }: ProviderContext,
): Promise<void> {
  await call(services.s3, action, { Bucket, ...input });
}

/** AWS::S3::Bucket. */
export const bucket: ResourceProvider = {
  properties: ['BucketName', ...settings.map(({ property }) => property)],
  ignored: {
    AccessControl: 'the model judges no call by access control lists',
    AccelerateConfiguration: 'there is nothing between this machine and itself to speed up',
    AnalyticsConfigurations: 'the model analyses no buckets',
    IntelligentTieringConfigurations: 'the model has one storage class',
    InventoryConfigurations: 'the model writes no inventories',
    LoggingConfiguration: 'the model writes no access logs',
    MetricsConfigurations: 'the model publishes no metrics of buckets',
  },
  attributes: ['Arn', 'DomainName', 'DualStackDomainName', 'RegionalDomainName', 'WebsiteURL'],
  needs: { s3: ['CreateBucket', 'DeleteBucket', 'HeadBucket'] },
  replacedBy: ['BucketName'],
  nameProperty: 'BucketName',
  async create(properties, provider) {
    const { services, context, name } = provider;
    const Bucket = String(properties.BucketName ?? name(63).toLowerCase());
    if (properties.BucketName !== undefined) {
      // S3 says "not found" to HeadBucket without a body, and so without a code.
      const absent = [...gone, 'NotFound'];
      await refuseTaken('AWS::S3::Bucket', Bucket, absent, () => call(services.s3, 'HeadBucket', { Bucket }));
    }
    const elsewhere = context.region !== 'us-east-1';
    const place = elsewhere ? { CreateBucketConfiguration: { LocationConstraint: context.region } } : {};
    await call(services.s3, 'CreateBucket', { Bucket, ...place });
    await orRemoved(
      async () => {
        for (const { property, put } of settings) {
          if (properties[property] !== undefined) await apply(Bucket, put(properties[property]), provider);
        }
      },
      () => call(services.s3, 'DeleteBucket', { Bucket }),
    );
    return {
      physicalId: Bucket,
      attributes: {
        Arn: `arn:aws:s3:::${Bucket}`,
        DomainName: `${Bucket}.s3.amazonaws.com`,
        DualStackDomainName: `${Bucket}.s3.dualstack.${context.region}.amazonaws.com`,
        RegionalDomainName: `${Bucket}.s3.${context.region}.amazonaws.com`,
        WebsiteURL: `http://${Bucket}.s3-website-${context.region}.amazonaws.com`,
      },
    };
  },
  async update(made, before, after, provider) {
    for (const { property, put, reset } of settings) {
      if (!differs(before, after, property)) continue;
      const wanted = after[property];
      await apply(made.physicalId, wanted === undefined ? reset : put(wanted), provider);
    }
    return made;
  },
  async delete({ physicalId }, _properties, { services }) {
    // What is in it is not thrown away: S3 refuses, and the stack says so.
    await unlessGone(gone, () => call(services.s3, 'DeleteBucket', { Bucket: physicalId }));
  },
};

/** AWS::S3::BucketPolicy. */
export const bucketPolicy: ResourceProvider = {
  properties: ['Bucket', 'PolicyDocument'],
  unenforced: ['PolicyDocument'],
  attributes: [],
  needs: { s3: ['PutBucketPolicy', 'DeleteBucketPolicy', 'GetBucketPolicy'] },
  replacedBy: ['Bucket'],
  async create({ Bucket, PolicyDocument }, { services }) {
    const find = () => call(services.s3, 'GetBucketPolicy', { Bucket });
    await refuseTaken('AWS::S3::BucketPolicy', String(Bucket), ['NoSuchBucketPolicy'], find);
    await call(services.s3, 'PutBucketPolicy', { Bucket, Policy: asText(PolicyDocument) });
    return { physicalId: String(Bucket), attributes: {} };
  },
  async update(made, _before, { PolicyDocument }, { services }) {
    await call(services.s3, 'PutBucketPolicy', { Bucket: made.physicalId, Policy: asText(PolicyDocument) });
    return made;
  },
  async delete({ physicalId }, _properties, { services }) {
    const remove = () => call(services.s3, 'DeleteBucketPolicy', { Bucket: physicalId });
    await unlessGone([...gone, 'NoSuchBucketPolicy'], remove);
  },
};

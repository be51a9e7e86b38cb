import type { ServiceId } from '../service.ts';

/** How a service names itself on the wire. */
interface ServiceNames {
  /** Before the dot of X-Amz-Target, and in the path of RPC v2. */
  readonly target: string | undefined;
  /** The service of the credential scope in the Authorization header. */
  readonly signingName: string | undefined;
  /** Version parameter of the query protocol. */
  readonly version: string | undefined;
  readonly xmlNamespace: string | undefined;
  /** Namespace of error types in JSON. */
  readonly errorNamespace: string;
}

/** From the SDK clients' own settings (`runtimeConfig.shared`, protocolSettings), and what recorded answers hold. */
export const names: Readonly<Record<ServiceId, ServiceNames>> = {
  sqs: {
    target: 'AmazonSQS',
    signingName: 'sqs',
    version: '2012-11-05',
    xmlNamespace: 'http://queue.amazonaws.com/doc/2012-11-05/',
    errorNamespace: 'com.amazonaws.sqs',
  },
  sns: {
    target: undefined,
    signingName: 'sns',
    version: '2010-03-31',
    xmlNamespace: 'http://sns.amazonaws.com/doc/2010-03-31/',
    errorNamespace: 'com.amazonaws.sns',
  },
  dynamodb: {
    target: 'DynamoDB_20120810',
    signingName: 'dynamodb',
    version: undefined,
    xmlNamespace: undefined,
    errorNamespace: 'com.amazonaws.dynamodb.v20120810',
  },
  cloudwatch: {
    target: 'GraniteServiceVersion20100801',
    signingName: 'monitoring',
    version: '2010-08-01',
    xmlNamespace: 'http://monitoring.amazonaws.com/doc/2010-08-01/',
    errorNamespace: 'com.amazonaws.cloudwatch',
  },
  cloudformation: {
    target: undefined,
    signingName: 'cloudformation',
    version: '2010-05-15',
    xmlNamespace: 'http://cloudformation.amazonaws.com/doc/2010-05-15/',
    errorNamespace: 'com.amazonaws.cloudformation',
  },
  lambda: {
    target: undefined,
    signingName: 'lambda',
    version: undefined,
    xmlNamespace: undefined,
    errorNamespace: 'com.amazonaws.lambda',
  },
  sts: {
    target: undefined,
    signingName: 'sts',
    version: '2011-06-15',
    xmlNamespace: 'https://sts.amazonaws.com/doc/2011-06-15/',
    errorNamespace: 'com.amazonaws.sts',
  },
  dynamodbstreams: {
    target: 'DynamoDBStreams_20120810',
    // Streams are signed for as DynamoDB is; only the target tells them apart.
    signingName: undefined,
    version: undefined,
    xmlNamespace: undefined,
    errorNamespace: 'com.amazonaws.dynamodb.v20120810',
  },
  s3: {
    target: undefined,
    signingName: 's3',
    version: undefined,
    xmlNamespace: 'http://s3.amazonaws.com/doc/2006-03-01/',
    errorNamespace: 'com.amazonaws.s3',
  },
  ssm: {
    target: 'AmazonSSM',
    signingName: 'ssm',
    version: undefined,
    xmlNamespace: undefined,
    errorNamespace: 'com.amazonaws.ssm',
  },
  ecr: {
    target: 'AmazonEC2ContainerRegistry_V20150921',
    signingName: 'ecr',
    version: undefined,
    xmlNamespace: undefined,
    errorNamespace: 'com.amazonaws.ecr',
  },
  iam: {
    target: undefined,
    signingName: 'iam',
    version: '2010-05-08',
    xmlNamespace: 'https://iam.amazonaws.com/doc/2010-05-08/',
    errorNamespace: 'com.amazonaws.iam',
  },
  kms: {
    target: 'TrentService',
    signingName: 'kms',
    version: undefined,
    xmlNamespace: undefined,
    errorNamespace: 'com.amazonaws.kms',
  },
};

const ids = Object.keys(names) as ServiceId[];
const index = (key: keyof ServiceNames): ReadonlyMap<string, ServiceId> =>
  new Map(ids.flatMap((id) => (names[id][key] === undefined ? [] : [[names[id][key], id] as const])));

export const byTarget = index('target');
export const byVersion = index('version');
const bySigningName = index('signingName');

/**
 * The service that a request was signed for, from `Credential=KEY/20260101/us-east-1/sns/aws4_request` in the
 * Authorization header. The signature itself is not looked at.
 */
export const signedFor = (authorization: string | undefined): Signed | undefined =>
  scopeOf(/Credential=([^,\s]+)/.exec(authorization ?? '')?.[1]);

/** The same for a signature among the parameters of the address, as in a link that is signed beforehand. */
export function signedInQuery(search: string): Signed | undefined {
  const scope = /(?:^|&)X-Amz-Credential=([^&]+)/.exec(search)?.[1];
  return scope === undefined ? undefined : scopeOf(scope.replaceAll(/%2f/gi, '/'));
}

/** What {@link signedFor} found: the name as it was written, and the service if the model knows it. */
export interface Signed {
  readonly name: string;
  readonly id: ServiceId | undefined;
  /** As it was written: it may be empty. */
  readonly region: string;
}

function scopeOf(credential: string | undefined): Signed | undefined {
  const [, region, name] = /^[^/]+\/\d{8}\/([^/]*)\/([^/]+)\/aws4_request/.exec(credential ?? '') ?? [];
  return region === undefined || name === undefined
    ? undefined
    : { name, id: bySigningName.get(name), region };
}

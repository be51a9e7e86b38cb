import type {
  BatchDeleteImageCommandInput,
  CreateRepositoryCommandInput,
  DeleteLifecyclePolicyCommandInput,
  DeleteRepositoryCommandInput,
  DeleteRepositoryPolicyCommandInput,
  DescribeImagesCommandInput,
  DescribeRepositoriesCommandInput,
  GetLifecyclePolicyCommandInput,
  GetRepositoryPolicyCommandInput,
  ListImagesCommandInput,
  ListTagsForResourceCommandInput,
  PutImageScanningConfigurationCommandInput,
  PutImageTagMutabilityCommandInput,
  PutLifecyclePolicyCommandInput,
  Repository,
  SetRepositoryPolicyCommandInput,
  TagResourceCommandInput,
  UntagResourceCommandInput,
} from '@aws-sdk/client-ecr';
import { type ModelContext, type Service, ServiceError } from '../service.ts';

/** ECR: repositories, which stay empty. */
export interface EcrModel extends Service {
  readonly id: 'ecr';
}

interface State {
  description: Repository;
  policy: string | undefined;
  lifecycle: string | undefined;
  readonly tags: Map<string, string>;
}

/** Names of repositories (ECR API reference, CreateRepository). */
const allowedName = /^(?=.{2,256}$)(?:[a-z0-9]+(?:[._-][a-z0-9]+)*\/)*[a-z0-9]+(?:[._-][a-z0-9]+)*$/;

/**
 * ECR, as far as bootstrapping an account asks: repositories with their settings. The model has no registry to push
 * images to, and says so to whoever asks for its password.
 *
 * @example
 * ```ts
 * createEcr(context).operations.CreateRepository({ repositoryName: 'assets' }, {});
 * ```
 */
export function createEcr(context: Pick<ModelContext, 'clock' | 'account' | 'region'>): EcrModel {
  const { account, region } = context;
  const repositories = new Map<string, State>();
  const missing = (name: string | undefined) =>
    new ServiceError(
      'RepositoryNotFoundException',
      `The repository with name '${name}' does not exist in the registry with id '${account}'`,
    );
  const get = (name: string | undefined): State => {
    const found = repositories.get(name ?? '');
    if (found === undefined) throw missing(name);
    return found;
  };
  const byArn = (arn: string | undefined): State => get(arn?.split(':repository/')[1]);
  const checkJson = (text: string | undefined): string => {
    try {
      JSON.parse(text ?? '');
    } catch (cause) {
      throw new ServiceError('InvalidParameterException', `The policy is not JSON: ${String(cause)}`, {
        cause,
      });
    }
    return text ?? '';
  };
  const identity = (repositoryName: string | undefined) => ({ registryId: account, repositoryName });

  const operations = {
    CreateRepository(input: CreateRepositoryCommandInput) {
      const { repositoryName = '' } = input;
      if (!allowedName.test(repositoryName))
        throw new ServiceError(
          'InvalidParameterException',
          `The repository's name is "${repositoryName}": allowed are 2 to 256 lower-case letters, digits and ._-/.`,
        );
      if (repositories.has(repositoryName))
        throw new ServiceError(
          'RepositoryAlreadyExistsException',
          `The repository with name '${repositoryName}' already exists in the registry with id '${account}'`,
        );
      const description: Repository = {
        repositoryArn: `arn:aws:ecr:${region}:${account}:repository/${repositoryName}`,
        registryId: account,
        repositoryName,
        repositoryUri: `${account}.dkr.ecr.${region}.amazonaws.com/${repositoryName}`,
        createdAt: new Date(context.clock.now()),
        imageTagMutability: input.imageTagMutability ?? 'MUTABLE',
        imageScanningConfiguration: input.imageScanningConfiguration ?? { scanOnPush: false },
        encryptionConfiguration: input.encryptionConfiguration ?? { encryptionType: 'AES256' },
      };
      const tags = new Map((input.tags ?? []).map(({ Key = '', Value = '' }) => [Key, Value]));
      repositories.set(repositoryName, { description, policy: undefined, lifecycle: undefined, tags });
      return { repository: description };
    },
    DescribeRepositories({ repositoryNames }: DescribeRepositoriesCommandInput) {
      const wanted = repositoryNames?.map(get) ?? [...repositories.values()];
      return { repositories: wanted.map(({ description }) => description) };
    },
    DeleteRepository({ repositoryName }: DeleteRepositoryCommandInput) {
      const { description } = get(repositoryName);
      repositories.delete(repositoryName ?? '');
      return { repository: description };
    },
    SetRepositoryPolicy({ repositoryName, policyText }: SetRepositoryPolicyCommandInput) {
      const state = get(repositoryName);
      state.policy = checkJson(policyText);
      return { ...identity(repositoryName), policyText };
    },
    GetRepositoryPolicy({ repositoryName }: GetRepositoryPolicyCommandInput) {
      const { policy } = get(repositoryName);
      if (policy === undefined)
        throw new ServiceError(
          'RepositoryPolicyNotFoundException',
          `Repository policy does not exist for the repository with name '${repositoryName}' in the registry with id '${account}'`,
        );
      return { ...identity(repositoryName), policyText: policy };
    },
    DeleteRepositoryPolicy(input: DeleteRepositoryPolicyCommandInput) {
      const answer = operations.GetRepositoryPolicy(input);
      get(input.repositoryName).policy = undefined;
      return answer;
    },
    PutLifecyclePolicy({ repositoryName, lifecyclePolicyText }: PutLifecyclePolicyCommandInput) {
      const state = get(repositoryName);
      state.lifecycle = checkJson(lifecyclePolicyText);
      return { ...identity(repositoryName), lifecyclePolicyText };
    },
    GetLifecyclePolicy({ repositoryName }: GetLifecyclePolicyCommandInput) {
      const { lifecycle } = get(repositoryName);
      if (lifecycle === undefined)
        throw new ServiceError(
          'LifecyclePolicyNotFoundException',
          `Lifecycle policy does not exist for the repository with name '${repositoryName}' in the registry with id '${account}'`,
        );
      return { ...identity(repositoryName), lifecyclePolicyText: lifecycle };
    },
    DeleteLifecyclePolicy(input: DeleteLifecyclePolicyCommandInput) {
      const answer = operations.GetLifecyclePolicy(input);
      get(input.repositoryName).lifecycle = undefined;
      return answer;
    },
    PutImageScanningConfiguration(input: PutImageScanningConfigurationCommandInput) {
      const state = get(input.repositoryName);
      const { imageScanningConfiguration } = input;
      state.description = { ...state.description, imageScanningConfiguration };
      return { ...identity(input.repositoryName), imageScanningConfiguration };
    },
    PutImageTagMutability({ repositoryName, imageTagMutability }: PutImageTagMutabilityCommandInput) {
      const state = get(repositoryName);
      state.description = { ...state.description, imageTagMutability };
      return { ...identity(repositoryName), imageTagMutability };
    },
    DescribeImages({ repositoryName, imageIds }: DescribeImagesCommandInput) {
      get(repositoryName);
      const [first] = imageIds ?? [];
      if (first === undefined) return { imageDetails: [] };
      throw new ServiceError(
        'ImageNotFoundException',
        `The image with imageId {imageDigest:'${first.imageDigest ?? 'null'}', imageTag:'${first.imageTag ?? 'null'}'} ` +
          `does not exist within the repository with name '${repositoryName}' in the registry with id '${account}'`,
      );
    },
    ListImages({ repositoryName }: ListImagesCommandInput) {
      get(repositoryName);
      return { imageIds: [] };
    },
    BatchDeleteImage({ repositoryName, imageIds = [] }: BatchDeleteImageCommandInput) {
      get(repositoryName);
      return {
        imageIds: [],
        failures: imageIds.map((imageId) => ({
          imageId,
          failureCode: 'ImageNotFound' as const,
          failureReason: 'Requested image not found',
        })),
      };
    },
    GetAuthorizationToken(): never {
      throw new ServiceError(
        'ServerException',
        'The model of AWS has no registry for container images: use functions of zip files or inline code, not images.',
        { statusCode: 501 },
      );
    },
    TagResource({ resourceArn, tags = [] }: TagResourceCommandInput) {
      const state = byArn(resourceArn);
      for (const { Key = '', Value = '' } of tags) state.tags.set(Key, Value);
      return {};
    },
    UntagResource({ resourceArn, tagKeys = [] }: UntagResourceCommandInput) {
      const state = byArn(resourceArn);
      for (const key of tagKeys) state.tags.delete(key);
      return {};
    },
    ListTagsForResource: ({ resourceArn }: ListTagsForResourceCommandInput) => ({
      tags: [...byArn(resourceArn).tags].map(([Key, Value]) => ({ Key, Value })),
    }),
  };
  return { id: 'ecr', operations };
}

import type { CreateRepositoryCommandOutput } from '@aws-sdk/client-ecr';
import {
  asBoolean,
  asText,
  call,
  defined,
  type Properties,
  type ProviderContext,
  type ResourceProvider,
  tagsOf,
} from '../provider.ts';
import { isObject } from '../template.ts';
import { differs, orRemoved, tagChanges, tagList, unlessGone } from './changes.ts';

const gone = ['RepositoryNotFoundException'];

const lifecycleOf = ({ LifecyclePolicy }: Properties): string | undefined =>
  isObject(LifecyclePolicy) && LifecyclePolicy.LifecyclePolicyText !== undefined
    ? asText(LifecyclePolicy.LifecyclePolicyText)
    : undefined;

const policyOf = ({ RepositoryPolicyText }: Properties): string | undefined =>
  RepositoryPolicyText === undefined ? undefined : asText(RepositoryPolicyText);

const mutabilityOf = ({ ImageTagMutability }: Properties) => asText(ImageTagMutability ?? 'MUTABLE');

const scanOf = ({ ImageScanningConfiguration }: Properties) => ({
  scanOnPush: isObject(ImageScanningConfiguration)
    ? (asBoolean(ImageScanningConfiguration.ScanOnPush) ?? false)
    : false,
});

/** Sets or takes away the two policies, where they differ from what was. */
async function setPolicies(
  repositoryName: string,
  before: Properties,
  after: Properties,
  { services: { ecr } }: ProviderContext,
): Promise<void> {
  const lifecyclePolicyText = lifecycleOf(after);
  if (lifecyclePolicyText !== lifecycleOf(before)) {
    await (lifecyclePolicyText === undefined
      ? unlessGone(['LifecyclePolicyNotFoundException'], () =>
          call(ecr, 'DeleteLifecyclePolicy', { repositoryName }),
        )
      : call(ecr, 'PutLifecyclePolicy', { repositoryName, lifecyclePolicyText }));
  }
  const policyText = policyOf(after);
  if (policyText !== policyOf(before)) {
    await (policyText === undefined
      ? unlessGone(['RepositoryPolicyNotFoundException'], () =>
          call(ecr, 'DeleteRepositoryPolicy', { repositoryName }),
        )
      : call(ecr, 'SetRepositoryPolicy', { repositoryName, policyText }));
  }
}

/** AWS::ECR::Repository. */
export const repository: ResourceProvider = {
  properties: [
    ...['EmptyOnDelete', 'ImageScanningConfiguration', 'ImageTagMutability', 'LifecyclePolicy'],
    ...['RepositoryName', 'RepositoryPolicyText', 'Tags'],
  ],
  ignored: {
    EncryptionConfiguration: 'the model does not encrypt',
    ImageTagMutabilityExclusionFilters: 'the model knows no exceptions from the rule for tags',
  },
  unenforced: ['RepositoryPolicyText'],
  attributes: ['Arn', 'RepositoryUri'],
  needs: { ecr: ['CreateRepository', 'DeleteRepository'] },
  replacedBy: ['EncryptionConfiguration', 'RepositoryName'],
  nameProperty: 'RepositoryName',
  async create(properties, provider) {
    const { ecr } = provider.services;
    const repositoryName = String(properties.RepositoryName ?? provider.name(256).toLowerCase());
    const { repository: made } = await call<CreateRepositoryCommandOutput>(ecr, 'CreateRepository', {
      repositoryName,
      imageTagMutability: mutabilityOf(properties),
      imageScanningConfiguration: scanOf(properties),
      tags: tagList(tagsOf(properties.Tags)),
    });
    await orRemoved(
      () => setPolicies(repositoryName, {}, properties, provider),
      () => call(ecr, 'DeleteRepository', { repositoryName }),
    );
    return {
      physicalId: repositoryName,
      attributes: { Arn: made?.repositoryArn, RepositoryUri: made?.repositoryUri },
    };
  },
  async update(made, before, after, provider) {
    const { ecr } = provider.services;
    const repositoryName = made.physicalId;
    if (differs(before, after, 'ImageTagMutability')) {
      const imageTagMutability = mutabilityOf(after);
      await call(ecr, 'PutImageTagMutability', { repositoryName, imageTagMutability });
    }
    if (differs(before, after, 'ImageScanningConfiguration')) {
      const imageScanningConfiguration = scanOf(after);
      await call(ecr, 'PutImageScanningConfiguration', { repositoryName, imageScanningConfiguration });
    }
    await setPolicies(repositoryName, before, after, provider);
    const { list, drop } = tagChanges(before.Tags, after.Tags);
    const resourceArn = made.attributes.Arn;
    if (drop.length > 0) await call(ecr, 'UntagResource', { resourceArn, tagKeys: drop });
    if (list.length > 0) await call(ecr, 'TagResource', { resourceArn, tags: list });
    return made;
  },
  async delete({ physicalId }, properties, { services }) {
    const input = defined({
      repositoryName: physicalId,
      force: asBoolean(properties.EmptyOnDelete) === true ? true : undefined,
    });
    await unlessGone(gone, () => call(services.ecr, 'DeleteRepository', input));
  },
};

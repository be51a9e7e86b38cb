import { anything, type Input, type Place, type Row, type Rows, rowsFor, text } from './row.ts';

const repository = (name: string, { account, region }: Place): string =>
  `arn:aws:ecr:${region}:${account}:repository/${name}`;

const named = ({ repositoryName }: Input, place: Place): string => repository(text(repositoryName), place);

const several: Row = ({ repositoryNames }, place) =>
  (Array.isArray(repositoryNames) && repositoryNames.length > 0 ? repositoryNames : ['*']).map((name) => ({
    action: 'ecr:DescribeRepositories',
    resource: repository(text(name), place),
  }));

/** Service Authorization Reference, "Actions, resources, and condition keys for Amazon Elastic Container Registry". */
export const ecr: Rows = {
  ...rowsFor(
    'ecr',
    [
      ...['BatchDeleteImage', 'CreateRepository', 'DeleteLifecyclePolicy', 'DeleteRepository'],
      ...['DeleteRepositoryPolicy', 'DescribeImages', 'GetLifecyclePolicy', 'GetRepositoryPolicy'],
      ...['ListImages', 'PutImageScanningConfiguration', 'PutImageTagMutability', 'PutLifecyclePolicy'],
      'SetRepositoryPolicy',
    ],
    named,
  ),
  DescribeRepositories: several,
  ...rowsFor('ecr', ['GetAuthorizationToken'], anything),
  ...rowsFor('ecr', ['ListTagsForResource', 'TagResource', 'UntagResource'], ({ resourceArn }) =>
    text(resourceArn),
  ),
};

import { anything, type Input, type Place, type Rows, rowsFor, text } from './row.ts';

/** The ARN of a stack ends with an id that only the stack knows. */
function stackOf({ StackName }: Input, { account, region }: Place): string {
  const name = text(StackName);
  if (name.startsWith('arn:')) return name;
  return `arn:aws:cloudformation:${region}:${account}:stack/${name || '*'}/*`;
}

/** A change set may be named by its ARN alone. */
const changeSetOf = (input: Input, place: Place): string =>
  input.StackName === undefined && text(input.ChangeSetName).startsWith('arn:')
    ? text(input.ChangeSetName)
    : stackOf(input, place);

/** Service Authorization Reference, "Actions, resources, and condition keys for AWS CloudFormation". */
export const cloudformation: Rows = {
  ...rowsFor(
    'cloudformation',
    [
      ...['CancelUpdateStack', 'ContinueUpdateRollback', 'CreateChangeSet', 'CreateStack', 'DeleteStack'],
      ...['DescribeEvents', 'DescribeStackEvents', 'DescribeStackResource', 'DescribeStackResources'],
      ...['DescribeStacks', 'GetTemplate', 'GetTemplateSummary', 'ListChangeSets', 'ListStackResources'],
      ...['RollbackStack', 'UpdateStack', 'UpdateTerminationProtection'],
    ],
    stackOf,
  ),
  ...rowsFor(
    'cloudformation',
    ['DeleteChangeSet', 'DescribeChangeSet', 'ExecuteChangeSet', 'ListHookResults'],
    changeSetOf,
  ),
  ...rowsFor('cloudformation', ['ListExports', 'ListImports', 'ListStacks', 'ValidateTemplate'], anything),
};

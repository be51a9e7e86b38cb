import { anything, type Input, type Place, type Rows, rowsFor, text } from './row.ts';

/** A function is named by its name, its ARN, or a part of that, each with or without a version or alias. */
function functionOf({ FunctionName, Qualifier }: Input, { account, region }: Place): string {
  const given = text(FunctionName);
  const name = given.includes(':function:') ? given.slice(given.indexOf(':function:') + 10) : given;
  const owner = /^(?:arn:[^:]+:lambda:[^:]*:)?(\d{12}):function:/.exec(given)?.[1] ?? account;
  const qualified = Qualifier === undefined || name.includes(':') ? name : `${name}:${text(Qualifier)}`;
  return `arn:aws:lambda:${region}:${owner}:function:${qualified}`;
}

/** The function as a whole: versions and aliases are below it. */
const wholeFunction = (input: Input, place: Place): string =>
  functionOf({ FunctionName: input.FunctionName }, place);

const eventSource = ({ UUID }: Input, { account, region }: Place): string =>
  `arn:aws:lambda:${region}:${account}:event-source-mapping:${text(UUID)}`;

/** Service Authorization Reference, "Actions, resources, and condition keys for AWS Lambda". */
export const lambda: Rows = {
  Invoke: (input, place) => ({ action: 'lambda:InvokeFunction', resource: functionOf(input, place) }),
  ...rowsFor(
    'lambda',
    [
      ...['AddPermission', 'CreateAlias', 'CreateFunction', 'DeleteAlias', 'DeleteFunction', 'GetAlias'],
      ...['DeleteFunctionConcurrency', 'GetFunction', 'GetFunctionConfiguration', 'GetPolicy', 'ListAliases'],
      ...['DeleteFunctionEventInvokeConfig', 'GetFunctionEventInvokeConfig', 'ListVersionsByFunction'],
      ...['PublishVersion', 'PutFunctionConcurrency', 'PutFunctionEventInvokeConfig', 'RemovePermission'],
      ...['UpdateAlias', 'UpdateFunctionCode', 'UpdateFunctionConfiguration'],
      ...['UpdateFunctionEventInvokeConfig'],
    ],
    wholeFunction,
  ),
  ...rowsFor(
    'lambda',
    ['DeleteEventSourceMapping', 'GetEventSourceMapping', 'UpdateEventSourceMapping'],
    eventSource,
  ),
  CreateEventSourceMapping: (input, place) => ({
    action: 'lambda:CreateEventSourceMapping',
    resource: '*',
    conditions: () => ({ 'lambda:functionarn': wholeFunction(input, place) }),
  }),
  ...rowsFor('lambda', ['ListEventSourceMappings', 'ListFunctions'], anything),
  ...rowsFor('lambda', ['ListTags', 'TagResource', 'UntagResource'], ({ Resource }) => text(Resource)),
};

import { anything, type Input, type Place, type Row, type Rows, rowsFor, text } from './row.ts';

/** `/orders/url` is `parameter/orders/url`, and so is `parameter/name` of a name without a path. */
const parameter = (name: string, { account, region }: Place): string =>
  name.startsWith('arn:') ? name : `arn:aws:ssm:${region}:${account}:parameter/${name.replace(/^\//, '')}`;

const named = ({ Name }: Input, place: Place): string => parameter(text(Name).split(':', 1)[0] ?? '', place);

const several =
  (action: string): Row =>
  ({ Names }, place) =>
    (Array.isArray(Names) ? Names : []).map((name) => ({
      action: `ssm:${action}`,
      resource: parameter(text(name), place),
    }));

/** Service Authorization Reference, "Actions, resources, and condition keys for AWS Systems Manager". */
export const ssm: Rows = {
  ...rowsFor('ssm', ['DeleteParameter', 'GetParameter', 'GetParameterHistory', 'PutParameter'], named),
  DeleteParameters: several('DeleteParameters'),
  GetParameters: several('GetParameters'),
  ...rowsFor('ssm', ['GetParametersByPath'], ({ Path }, place) => parameter(text(Path), place)),
  ...rowsFor('ssm', ['DescribeParameters'], anything),
  ...rowsFor(
    'ssm',
    ['AddTagsToResource', 'ListTagsForResource', 'RemoveTagsFromResource'],
    ({ ResourceId }, place) => parameter(text(ResourceId), place),
  ),
};

import {
  asText,
  call,
  defined,
  type Properties,
  type ProviderContext,
  type ResourceProvider,
  tagsOf,
} from '../provider.ts';
import { tagChanges, tagList, unlessGone } from './changes.ts';

/** What PutParameter takes. */
const parameterOf = (properties: Properties) => ({
  Type: asText(properties.Type),
  Value: asText(properties.Value),
  Description: properties.Description,
  AllowedPattern: properties.AllowedPattern,
  DataType: properties.DataType,
  Tier: properties.Tier,
});

const made = (Name: string, properties: Properties) => ({
  physicalId: Name,
  attributes: { Type: asText(properties.Type), Value: asText(properties.Value) },
});

const retag = async (
  ResourceId: string,
  before: unknown,
  after: unknown,
  { services: { ssm } }: ProviderContext,
) => {
  const { list, drop } = tagChanges(before, after);
  const resource = { ResourceType: 'Parameter', ResourceId };
  if (drop.length > 0) await call(ssm, 'RemoveTagsFromResource', { ...resource, TagKeys: drop });
  if (list.length > 0) await call(ssm, 'AddTagsToResource', { ...resource, Tags: list });
};

/** AWS::SSM::Parameter of type String or StringList. */
export const parameter: ResourceProvider = {
  properties: ['AllowedPattern', 'DataType', 'Description', 'Name', 'Tags', 'Tier', 'Type', 'Value'],
  ignored: { Policies: 'parameters of the model do not expire and notify nobody' },
  attributes: ['Type', 'Value'],
  needs: { ssm: ['PutParameter', 'DeleteParameter'] },
  check({ Type, Value }) {
    const faults = [];
    // A template must not hold a secret (template reference, AWS::SSM::Parameter, Type).
    if (Type === 'SecureString') faults.push('Type SecureString cannot be made by CloudFormation');
    if (Type === undefined) faults.push('Type is missing; it is String or StringList');
    if (Value === undefined) faults.push('Value is missing');
    return faults;
  },
  replacedBy: ['Name'],
  nameProperty: 'Name',
  async create(properties, { services, name }) {
    const Name = String(properties.Name ?? `CFN-${name(500)}`);
    const tags = tagList(tagsOf(properties.Tags));
    await call(
      services.ssm,
      'PutParameter',
      defined({ Name, ...parameterOf(properties), Tags: tags.length > 0 ? tags : undefined }),
    );
    return made(Name, properties);
  },
  async update({ physicalId: Name }, before, after, provider) {
    await call(
      provider.services.ssm,
      'PutParameter',
      defined({
        Name,
        Overwrite: true,
        ...parameterOf(after),
        // What is not named stays as it was; an empty text takes it away.
        Description: after.Description ?? '',
        AllowedPattern: after.AllowedPattern ?? '',
      }),
    );
    await retag(Name, before.Tags, after.Tags, provider);
    return made(Name, after);
  },
  async delete({ physicalId }, _properties, { services }) {
    await unlessGone(['ParameterNotFound'], () =>
      call(services.ssm, 'DeleteParameter', { Name: physicalId }),
    );
  },
};

import type {
  AddTagsToResourceCommandInput,
  DeleteParameterCommandInput,
  DeleteParametersCommandInput,
  DescribeParametersCommandInput,
  GetParameterCommandInput,
  GetParameterHistoryCommandInput,
  GetParametersByPathCommandInput,
  GetParametersCommandInput,
  ListTagsForResourceCommandInput,
  PutParameterCommandInput,
  RemoveTagsFromResourceCommandInput,
} from '@aws-sdk/client-ssm';
import { type ModelContext, type Service, ServiceError } from '../service.ts';
import {
  checkName,
  checkValue,
  invalid,
  missing,
  mostVersions,
  type Parameter,
  type ParameterVersion,
} from './parameters.ts';

/** Of Systems Manager the model has the Parameter Store. */
export interface SsmModel extends Service {
  readonly id: 'ssm';
  /** The newest value of a parameter, by its name or name and version (`name:3`). */
  value(name: string): string | undefined;
}

/** Names in one call (Systems Manager API reference, GetParameters and DeleteParameters). */
const mostNames = 10;

/**
 * Parameter Store: parameters with their versions and tags. Values of type SecureString are not encrypted: what asks
 * for them without decryption gets a placeholder. Labels, policies and change events are not modelled.
 *
 * @example
 * ```ts
 * const ssm = createSsm(context);
 * ssm.operations.PutParameter({ Name: '/orders/limit', Value: '5', Type: 'String' }, {});
 * ssm.value('/orders/limit'); // '5'
 * ```
 */
export function createSsm(context: Pick<ModelContext, 'clock' | 'account' | 'region'>): SsmModel {
  const parameters = new Map<string, Parameter>();
  const arnOf = (name: string) =>
    `arn:aws:ssm:${context.region}:${context.account}:parameter${name.startsWith('/') ? '' : '/'}${name}`;
  /** A parameter may be named by its ARN, and with a version behind a colon. */
  const find = (reference: string): { parameter: Parameter; version: ParameterVersion } | undefined => {
    const prefix = arnOf('/').slice(0, -1);
    const path = reference.startsWith('arn:') ? reference.slice(prefix.length) : reference;
    if (reference.startsWith('arn:') && !reference.startsWith(prefix)) return undefined;
    const [name = '', selector] = path.split(':', 2);
    const parameter =
      parameters.get(name) ?? (reference === path ? undefined : parameters.get(name.replace(/^\//, '')));
    if (parameter === undefined) return undefined;
    const version =
      selector === undefined
        ? parameter.versions.at(-1)
        : parameter.versions.find((each) => String(each.version) === selector);
    if (version === undefined)
      throw new ServiceError(
        'ParameterVersionNotFound',
        `Systems Manager could not find version ${selector} of ${name}. Verify the version and try again.`,
      );
    return { parameter, version };
  };
  const shown = (
    reference: string,
    { parameter, version }: { parameter: Parameter; version: ParameterVersion },
    decrypted: boolean | undefined,
  ) => {
    const selector = /^[^:]*(:\w+)$/.exec(reference)?.[1];
    return {
      Name: parameter.name,
      Type: version.type,
      Value: version.type === 'SecureString' && decrypted !== true ? '(encrypted)' : version.value,
      Version: version.version,
      ...(selector === undefined ? {} : { Selector: selector }),
      LastModifiedDate: new Date(version.changedAt),
      ARN: arnOf(parameter.name),
      DataType: version.dataType,
    };
  };
  const metadata = (parameter: Parameter, version: ParameterVersion) => ({
    Name: parameter.name,
    ARN: arnOf(parameter.name),
    Type: version.type,
    ...(version.keyId === undefined ? {} : { KeyId: version.keyId }),
    LastModifiedDate: new Date(version.changedAt),
    LastModifiedUser: `arn:aws:iam::${context.account}:root`,
    ...(version.description === undefined ? {} : { Description: version.description }),
    ...(version.allowedPattern === undefined ? {} : { AllowedPattern: version.allowedPattern }),
    Version: version.version,
    Tier: version.tier as 'Standard',
    Policies: [],
    DataType: version.dataType,
  });
  const checkNames = (names: readonly string[]) => {
    if (names.length === 0 || names.length > mostNames)
      throw invalid(`Allowed are 1 to ${mostNames} names; found ${names.length}.`);
  };
  const tagged = (ResourceType: string | undefined, id: string | undefined): Parameter => {
    if (ResourceType !== 'Parameter')
      throw new ServiceError('InvalidResourceType', `The model tags parameters only, not "${ResourceType}".`);
    const found = parameters.get(id ?? '');
    if (found !== undefined) return found;
    throw new ServiceError('InvalidResourceId', `There is no parameter ${id}.`);
  };

  const operations = {
    PutParameter(input: PutParameterCommandInput) {
      const { Name = '', Value = '', Overwrite = false } = input;
      checkName(Name);
      const existing = parameters.get(Name);
      if (existing !== undefined && !Overwrite)
        throw new ServiceError(
          'ParameterAlreadyExists',
          'The parameter already exists. To overwrite this value, set the overwrite option in the request to true.',
        );
      if (existing !== undefined && (input.Tags?.length ?? 0) > 0)
        throw invalid('Tags and overwrite cannot be used together. Use AddTagsToResource instead.');
      const before = existing?.versions.at(-1);
      const type = input.Type ?? before?.type;
      if (type !== 'String' && type !== 'StringList' && type !== 'SecureString')
        throw invalid(
          `The type of parameter ${Name} is "${type}"; allowed are String, StringList, SecureString.`,
        );
      const tier = input.Tier ?? before?.tier ?? 'Standard';
      // An empty pattern or description takes the old one away.
      const allowedPattern = (input.AllowedPattern ?? before?.allowedPattern) || undefined;
      checkValue(Value, tier, allowedPattern);
      const version: ParameterVersion = {
        version: (before?.version ?? 0) + 1,
        value: Value,
        type,
        changedAt: context.clock.now(),
        description: (input.Description ?? before?.description) || undefined,
        allowedPattern,
        tier:
          tier === 'Intelligent-Tiering' ? (Buffer.byteLength(Value) > 4096 ? 'Advanced' : 'Standard') : tier,
        dataType: input.DataType ?? before?.dataType ?? 'text',
        keyId: type === 'SecureString' ? (input.KeyId ?? 'alias/aws/ssm') : undefined,
      };
      const parameter: Parameter = existing ?? { name: Name, versions: [], tags: new Map() };
      parameter.versions.push(version);
      if (parameter.versions.length > mostVersions) parameter.versions.shift();
      for (const { Key = '', Value: tag = '' } of input.Tags ?? []) parameter.tags.set(Key, tag);
      parameters.set(Name, parameter);
      return { Version: version.version, Tier: version.tier as 'Standard' };
    },
    GetParameter({ Name = '', WithDecryption }: GetParameterCommandInput) {
      const found = find(Name);
      if (found === undefined) throw missing(`Parameter ${Name} not found.`);
      return { Parameter: shown(Name, found, WithDecryption) };
    },
    GetParameters({ Names = [], WithDecryption }: GetParametersCommandInput) {
      checkNames(Names);
      const unique = [...new Set(Names)];
      const found = unique.map((name) => [name, find(name)] as const);
      return {
        Parameters: found.flatMap(([name, each]) =>
          each === undefined ? [] : [shown(name, each, WithDecryption)],
        ),
        InvalidParameters: found.flatMap(([name, each]) => (each === undefined ? [name] : [])),
      };
    },
    GetParametersByPath(input: GetParametersByPathCommandInput) {
      const { Path = '', Recursive = false, WithDecryption, MaxResults = 10, NextToken } = input;
      if (!Path.startsWith('/')) throw invalid(`The path has to begin with "/"; found "${Path}".`);
      const prefix = Path.endsWith('/') ? Path : `${Path}/`;
      const names = [...parameters.keys()]
        .filter((name) => name.startsWith(prefix))
        .filter((name) => Recursive || !name.slice(prefix.length).includes('/'));
      const { page, next } = pageOf(names, MaxResults, NextToken);
      return {
        Parameters: page.map((name) => shown(name, find(name)!, WithDecryption)),
        ...(next === undefined ? {} : { NextToken: next }),
      };
    },
    GetParameterHistory({ Name = '', WithDecryption }: GetParameterHistoryCommandInput) {
      const found = find(Name);
      if (found === undefined) throw missing(`Parameter ${Name} not found.`);
      const { parameter } = found;
      return {
        Parameters: parameter.versions.map((version) => {
          const { ARN, ...rest } = metadata(parameter, version);
          const { Value } = shown(Name, { parameter, version }, WithDecryption);
          return { ...rest, Value, Labels: [] };
        }),
      };
    },
    DescribeParameters(input: DescribeParametersCommandInput) {
      const filters = [
        ...(input.ParameterFilters ?? []),
        ...(input.Filters ?? []).map((filter) => ({ ...filter, Option: 'BeginsWith' })),
      ];
      const names = [...parameters.values()]
        .filter((parameter) => filters.every((filter) => matches(parameter, filter)))
        .map(({ name }) => name);
      const { page, next } = pageOf(names, input.MaxResults ?? 50, input.NextToken);
      return {
        Parameters: page.map((name) => {
          const { parameter, version } = find(name)!;
          return metadata(parameter, version);
        }),
        ...(next === undefined ? {} : { NextToken: next }),
      };
    },
    DeleteParameter({ Name = '' }: DeleteParameterCommandInput) {
      if (!parameters.delete(Name)) throw missing(`Parameter ${Name} not found.`);
      return {};
    },
    DeleteParameters({ Names = [] }: DeleteParametersCommandInput) {
      checkNames(Names);
      const deleted = Names.filter((name) => parameters.delete(name));
      return {
        DeletedParameters: deleted,
        InvalidParameters: Names.filter((name) => !deleted.includes(name)),
      };
    },
    AddTagsToResource({ ResourceType, ResourceId, Tags = [] }: AddTagsToResourceCommandInput) {
      const { tags } = tagged(ResourceType, ResourceId);
      for (const { Key = '', Value = '' } of Tags) tags.set(Key, Value);
      return {};
    },
    RemoveTagsFromResource({ ResourceType, ResourceId, TagKeys = [] }: RemoveTagsFromResourceCommandInput) {
      const { tags } = tagged(ResourceType, ResourceId);
      for (const key of TagKeys) tags.delete(key);
      return {};
    },
    ListTagsForResource: ({ ResourceType, ResourceId }: ListTagsForResourceCommandInput) => ({
      TagList: [...tagged(ResourceType, ResourceId).tags].map(([Key, Value]) => ({ Key, Value })),
    }),
  };
  return {
    id: 'ssm',
    operations,
    value(name) {
      try {
        return find(name)?.version.value;
      } catch (error) {
        if (error instanceof ServiceError && error.name === 'ParameterVersionNotFound') return undefined;
        throw error;
      }
    },
  };
}

interface Filter {
  readonly Key: string | undefined;
  readonly Option?: string | undefined;
  readonly Values?: readonly string[] | undefined;
}

/** @throws {ServiceError} InvalidFilterKey for what the model cannot filter by */
function matches({ name, versions, tags }: Parameter, { Key = '', Option = 'Equals', Values = [] }: Filter) {
  const is = (text: string) =>
    Values.some((value) =>
      Option === 'BeginsWith'
        ? text.startsWith(value)
        : Option === 'Contains'
          ? text.includes(value)
          : text === value,
    );
  if (Key === 'Name') return is(name);
  if (Key === 'Type') return is(versions.at(-1)!.type);
  if (Key === 'Tier') return is(versions.at(-1)!.tier);
  if (Key === 'Path')
    return Values.some((path) => {
      const prefix = path.endsWith('/') ? path : `${path}/`;
      const rest = name.startsWith(prefix) ? name.slice(prefix.length) : undefined;
      return rest !== undefined && (Option === 'Recursive' || !rest.includes('/'));
    });
  if (Key.startsWith('tag:')) {
    const tag = tags.get(Key.slice('tag:'.length));
    return tag !== undefined && (Values.length === 0 || is(tag));
  }
  throw new ServiceError(
    'InvalidFilterKey',
    `The model filters parameters by Name, Type, Tier, Path and tag:KEY; found "${Key}".`,
  );
}

/** A page of names in their order; the token is the place where the next begins. */
function pageOf(names: readonly string[], limit: number, token: string | undefined) {
  const start = token === undefined ? 0 : Number(token);
  if (!Number.isInteger(start) || start < 0 || start > names.length)
    throw new ServiceError('InvalidNextToken', 'The specified token is not valid.');
  const end = start + limit;
  return {
    page: names.toSorted().slice(start, end),
    next: end < names.length ? String(end) : undefined,
  };
}

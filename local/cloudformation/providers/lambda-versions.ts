import type {
  AliasConfiguration,
  FunctionConfiguration,
  ListVersionsByFunctionCommandOutput,
} from '@aws-sdk/client-lambda';
import {
  asNumber,
  call,
  defined,
  type Properties,
  type ProviderContext,
  type ResourceProvider,
} from '../provider.ts';
import { isObject } from '../template.ts';
import { refuseTaken, unlessGone } from './changes.ts';

const gone = ['ResourceNotFoundException'];

const provisioned = 'the model starts environments when they are needed';

/** AWS::Lambda::Version: it never changes; another one is another resource. */
export const version: ResourceProvider = {
  properties: ['Description', 'FunctionName'],
  ignored: {
    CodeSha256: 'the model names code by its place',
    ProvisionedConcurrencyConfig: provisioned,
    RuntimePolicy: 'functions run on the Node.js of this process',
  },
  attributes: ['FunctionArn', 'Version'],
  needs: { lambda: ['PublishVersion', 'ListVersionsByFunction', 'DeleteFunction'] },
  replacedBy: ['CodeSha256', 'Description', 'FunctionName', 'RuntimePolicy'],
  async create({ FunctionName, Description }, { services: { lambda } }) {
    const { Versions = [] } = await call<ListVersionsByFunctionCommandOutput>(
      lambda,
      'ListVersionsByFunction',
      { FunctionName },
    );
    const { FunctionArn, Version } = await call<FunctionConfiguration>(
      lambda,
      'PublishVersion',
      defined({ FunctionName, Description }),
    );
    // Lambda gives back the last version of what has not changed: it belongs to another resource.
    if (Versions.some((known) => known.Version === Version)) {
      throw new Error(
        `A version for this Lambda function exists ( ${Version} ). Modify the function to create a new version.`,
      );
    }
    return { physicalId: FunctionArn ?? '', attributes: { FunctionArn, Version } };
  },
  update: async (made) => made,
  async delete({ physicalId }, _properties, { services }) {
    await unlessGone(gone, () => call(services.lambda, 'DeleteFunction', { FunctionName: physicalId }));
  },
};

/** What CreateAlias and UpdateAlias take, with the default of what is left out. */
function aliasOf({ FunctionName, FunctionVersion, Name, Description, RoutingConfig }: Properties) {
  const weights =
    isObject(RoutingConfig) && Array.isArray(RoutingConfig.AdditionalVersionWeights)
      ? (RoutingConfig.AdditionalVersionWeights as readonly Properties[])
      : [];
  return {
    FunctionName,
    FunctionVersion,
    Name,
    Description: Description ?? '',
    RoutingConfig: {
      AdditionalVersionWeights: Object.fromEntries(
        weights.map((each) => [String(each.FunctionVersion), asNumber(each.FunctionWeight)]),
      ),
    },
  };
}

/** AWS::Lambda::Alias. */
export const alias: ResourceProvider = {
  properties: ['Description', 'FunctionName', 'FunctionVersion', 'Name', 'RoutingConfig'],
  ignored: { ProvisionedConcurrencyConfig: provisioned },
  attributes: ['AliasArn'],
  needs: { lambda: ['CreateAlias', 'UpdateAlias', 'DeleteAlias'] },
  replacedBy: ['FunctionName', 'Name'],
  nameProperty: 'Name',
  async create(properties, { services }) {
    const { AliasArn } = await call<AliasConfiguration>(services.lambda, 'CreateAlias', aliasOf(properties));
    return { physicalId: AliasArn ?? '', attributes: { AliasArn } };
  },
  async update(made, _before, after, { services }) {
    await call(services.lambda, 'UpdateAlias', aliasOf(after));
    return made;
  },
  async delete(_made, { FunctionName, Name }, { services }) {
    await unlessGone(gone, () => call(services.lambda, 'DeleteAlias', { FunctionName, Name }));
  },
};

const place = ({ FunctionName, Qualifier }: Properties) => ({ FunctionName, Qualifier });

/** Puts the settings, which replaces those that were: what is left out has its default again. */
const putSettings = (properties: Properties, { services }: ProviderContext) =>
  call(
    services.lambda,
    'PutFunctionEventInvokeConfig',
    defined({
      ...place(properties),
      MaximumEventAgeInSeconds: asNumber(properties.MaximumEventAgeInSeconds),
      MaximumRetryAttempts: asNumber(properties.MaximumRetryAttempts),
    }),
  );

/** AWS::Lambda::EventInvokeConfig: how asynchronous events are kept and tried again. */
export const eventInvokeConfig: ResourceProvider = {
  properties: ['FunctionName', 'MaximumEventAgeInSeconds', 'MaximumRetryAttempts', 'Qualifier'],
  attributes: [],
  needs: { lambda: ['PutFunctionEventInvokeConfig', 'DeleteFunctionEventInvokeConfig'] },
  replacedBy: ['FunctionName', 'Qualifier'],
  async create(properties, provider) {
    const { services, name } = provider;
    const find = () => call(services.lambda, 'GetFunctionEventInvokeConfig', place(properties));
    const { FunctionName, Qualifier } = properties;
    await refuseTaken('AWS::Lambda::EventInvokeConfig', `${FunctionName}|${Qualifier}`, gone, find);
    await putSettings(properties, provider);
    return { physicalId: name(64), attributes: {} };
  },
  async update(made, _before, after, provider) {
    await putSettings(after, provider);
    return made;
  },
  async delete(_made, properties, { services }) {
    const remove = () => call(services.lambda, 'DeleteFunctionEventInvokeConfig', place(properties));
    await unlessGone(gone, remove);
  },
};

import type {
  AliasConfiguration,
  CreateAliasCommandInput,
  DeleteAliasCommandInput,
  FunctionConfiguration as FunctionDescription,
  GetAliasCommandInput,
  ListAliasesCommandInput,
  ListVersionsByFunctionCommandInput,
  PublishVersionCommandInput,
  UpdateAliasCommandInput,
} from '@aws-sdk/client-lambda';
import { uuid } from '../../lib/base/index.ts';
import type { ModelContext } from '../service.ts';
import { conflict, invalid, notFound } from './errors.ts';
import type { Executor, FunctionConfiguration } from './executor.ts';
import type { FunctionState } from './functions.ts';
import { createPool, type Pool } from './pool.ts';

/** The function as it is worked on. */
export const latest = '$LATEST';

/** The version or alias at the end of a reference: `name:live`, or an ARN with it. */
export function qualifierOf(reference: string | undefined): string | undefined {
  const parts = (reference ?? '').split(':');
  const marker = parts.indexOf('function');
  return marker >= 0 ? parts[marker + 2] : parts[1];
}

/** Removes a version; an alias that leads to it keeps it. */
export function removeVersion(state: FunctionState, version: string): void {
  if (!/^\d+$/.test(version)) {
    throw invalid(`${version} is not a published version of ${state.configuration.functionName}.`);
  }
  const found = state.qualified.get(version);
  // As on AWS: a version that is not there is deleted already.
  if (found === undefined) return;
  const alias = [...state.qualified.values()].find((each) => aliasOf(each)?.targets().has(version));
  if (alias !== undefined) {
    throw conflict(`Version ${version} cannot be deleted: alias ${alias.qualifier} leads to it.`);
  }
  state.qualified.delete(version);
  found.pool.stop();
}

/** What makes a state an alias. */
interface Alias {
  configuration: AliasConfiguration;
  /** Weights of the versions that it leads to; together they are 1. */
  targets(): ReadonlyMap<string, number>;
  /** The version that the next invocation goes to. */
  route(): FunctionState;
}

const aliases = new WeakMap<FunctionState, Alias>();
const aliasOf = (state: FunctionState): Alias | undefined => aliases.get(state);

/** Published versions, which never change, and aliases, which lead to one or two of them; and the actions on both. */
export function createVersions(
  context: ModelContext,
  executor: Executor,
  get: (reference: string | undefined) => FunctionState,
) {
  const { random } = context;
  /** By function: how many versions were published, and of which configuration the last was. */
  const published = new WeakMap<FunctionState, { count: number; last: FunctionConfiguration }>();

  const getAlias = (reference: string | undefined, name: string | undefined) => {
    const state = get(reference);
    const found = state.qualified.get(name ?? '');
    const alias = found === undefined ? undefined : aliasOf(found);
    if (alias !== undefined) return { state, alias };
    throw notFound(`Cannot find alias arn: ${state.configuration.functionArn}:${name}`);
  };

  const checkTargets = (state: FunctionState, alias: AliasConfiguration): void => {
    const weights = Object.entries(alias.RoutingConfig?.AdditionalVersionWeights ?? {});
    if (weights.length > 1) throw invalid('RoutingConfig takes one additional version.');
    for (const [version, weight] of weights) {
      if (alias.FunctionVersion === latest || version === latest || version === alias.FunctionVersion)
        throw invalid(`An alias shares its invocations between two published versions, found ${version}.`);
      if (typeof weight !== 'number' || !(weight >= 0 && weight <= 1))
        throw invalid(`The weight of version ${version} is from 0 to 1, found ${weight}.`);
    }
    for (const version of [alias.FunctionVersion, ...weights.map(([name]) => name)]) {
      const isVersion =
        version === latest || (/^\d+$/.test(version ?? '') && state.qualified.has(version ?? ''));
      if (!isVersion) throw notFound(`Function not found: ${state.configuration.functionArn}:${version}`);
    }
  };

  const operations = {
    PublishVersion({
      FunctionName,
      Description,
      CodeSha256,
    }: PublishVersionCommandInput): FunctionDescription {
      const state = get(FunctionName);
      if (CodeSha256 !== undefined && CodeSha256 !== state.description.CodeSha256)
        throw invalid(
          `CodeSHA256 (${CodeSha256}) is different from current CodeSHA256 in $LATEST (${state.description.CodeSha256}). Please try again with the CodeSHA256 in $LATEST.`,
        );
      const before = published.get(state);
      // Of what has not changed since, no other version is published.
      const same =
        before?.last === state.configuration ? state.qualified.get(String(before.count)) : undefined;
      if (same !== undefined) return same.description;
      const version = String((before?.count ?? 0) + 1);
      published.set(state, { count: Number(version), last: state.configuration });
      const configuration: FunctionConfiguration = {
        ...state.configuration,
        functionArn: `${state.configuration.functionArn}:${version}`,
        version,
      };
      const description: FunctionDescription = {
        ...state.description,
        FunctionArn: configuration.functionArn,
        Version: version,
        Description: Description ?? state.description.Description,
        RevisionId: uuid(random),
      };
      const pool = createPool(context, executor, configuration);
      const own = { qualifier: version, configuration, description, pool };
      state.qualified.set(version, partOf(state, own));
      return description;
    },
    ListVersionsByFunction({ FunctionName }: ListVersionsByFunctionCommandInput) {
      const state = get(FunctionName);
      const versions = [...state.qualified.values()].filter((each) => aliasOf(each) === undefined);
      return { Versions: [state, ...versions].map(({ description }) => description) };
    },
    CreateAlias({ FunctionName, ...given }: CreateAliasCommandInput): AliasConfiguration {
      const state = get(FunctionName);
      const name = given.Name ?? '';
      if (!/^(?!\d+$)[\w-]{1,128}$/.test(name))
        throw invalid(`The name of an alias has letters, digits, - and _ and is no number, found "${name}".`);
      const arn = `${state.configuration.functionArn}:${name}`;
      if (state.qualified.has(name)) throw conflict(`Alias already exists: ${arn}`);
      const configuration = aliasConfiguration(arn, uuid(random), { Name: name }, given);
      checkTargets(state, configuration);
      state.qualified.set(name, leadingState(state, configuration));
      return configuration;
    },
    UpdateAlias({ FunctionName, Name, ...given }: UpdateAliasCommandInput): AliasConfiguration {
      const { state, alias } = getAlias(FunctionName, Name);
      const arn = alias.configuration.AliasArn ?? '';
      const configuration = aliasConfiguration(arn, uuid(random), alias.configuration, given);
      checkTargets(state, configuration);
      alias.configuration = configuration;
      return configuration;
    },
    GetAlias: ({ FunctionName, Name }: GetAliasCommandInput): AliasConfiguration =>
      getAlias(FunctionName, Name).alias.configuration,
    ListAliases: ({ FunctionName, FunctionVersion }: ListAliasesCommandInput) => ({
      Aliases: [...get(FunctionName).qualified.values()]
        .flatMap((each) => aliasOf(each)?.configuration ?? [])
        .filter((alias) => (FunctionVersion ?? alias.FunctionVersion) === alias.FunctionVersion),
    }),
    DeleteAlias({ FunctionName, Name }: DeleteAliasCommandInput) {
      const state = get(FunctionName);
      const found = state.qualified.get(Name ?? '');
      // As on AWS: an alias that is not there is deleted already.
      if (found !== undefined && aliasOf(found) !== undefined) state.qualified.delete(found.qualifier);
      return {};
    },
  };

  /** An alias as a state: it has the environments of the versions that it leads to, and none of its own. */
  function leadingState(state: FunctionState, configuration: AliasConfiguration): FunctionState {
    const version = (name: string | undefined) => state.qualified.get(name ?? '') ?? state;
    const main = () => version(alias.configuration.FunctionVersion);
    const alias: Alias = {
      configuration,
      targets() {
        const [more] = Object.entries(alias.configuration.RoutingConfig?.AdditionalVersionWeights ?? {});
        const weight = more?.[1] ?? 0;
        const first = [alias.configuration.FunctionVersion ?? latest, 1 - weight] as const;
        return new Map(more === undefined ? [first] : [first, [more[0], weight]]);
      },
      route() {
        const [, other] = [...alias.targets()];
        return other !== undefined && random.next() < other[1] ? version(other[0]) : main();
      },
    };
    const pool: Pool = {
      busy: () => 0,
      invoke: (payload, requestId) => alias.route().pool.invoke(payload, requestId),
      replace() {},
      killOne: () => false,
      views: () => [],
      stop() {},
    };
    const arn = configuration.AliasArn ?? '';
    const made = partOf(state, {
      qualifier: configuration.Name ?? '',
      get configuration() {
        return { ...main().configuration, functionArn: arn };
      },
      get description() {
        return { ...main().description, FunctionArn: arn };
      },
      pool,
    });
    aliases.set(made, alias);
    return made;
  }

  return {
    operations,
    /** The function or version that an invocation of this goes to. */
    route: (state: FunctionState): FunctionState => aliasOf(state)?.route() ?? state,
  };
}

/** What is left out stays as it was; an empty routing leads to one version alone again. */
function aliasConfiguration(
  AliasArn: string,
  RevisionId: string,
  before: AliasConfiguration,
  given: Pick<AliasConfiguration, 'Description' | 'FunctionVersion' | 'RoutingConfig'>,
): AliasConfiguration {
  const routing = given.RoutingConfig ?? before.RoutingConfig;
  const isShared = Object.keys(routing?.AdditionalVersionWeights ?? {}).length > 0;
  return {
    AliasArn,
    Name: before.Name,
    FunctionVersion: given.FunctionVersion ?? before.FunctionVersion,
    Description: given.Description ?? before.Description ?? '',
    RevisionId,
    ...(isShared && { RoutingConfig: routing }),
  };
}

/** A version or an alias: concurrency is one for the whole function. */
function partOf(
  state: FunctionState,
  own: Pick<FunctionState, 'qualifier' | 'configuration' | 'description' | 'pool'>,
): FunctionState {
  return Object.defineProperties(
    { qualified: new Map(), tags: {} },
    {
      ...Object.getOwnPropertyDescriptors(own),
      concurrent: {
        get: () => state.concurrent,
        set: (value: number) => {
          state.concurrent = value;
        },
      },
      reservedConcurrency: { get: () => state.reservedConcurrency },
    },
  ) as FunctionState;
}

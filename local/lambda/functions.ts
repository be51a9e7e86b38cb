import { createHash } from 'node:crypto';
import type {
  CreateFunctionCommandInput,
  DeleteFunctionCommandInput,
  FunctionCode,
  FunctionConfiguration as FunctionDescription,
  GetFunctionCommandInput,
  ListFunctionsCommandInput,
  ListTagsCommandInput,
  PutFunctionConcurrencyCommandInput,
  TagResourceCommandInput,
  UntagResourceCommandInput,
  UpdateFunctionCodeCommandInput,
  UpdateFunctionConfigurationCommandInput,
} from '@aws-sdk/client-lambda';
import { seconds, uuid } from '../../lib/base/index.ts';
import type { ModelContext } from '../service.ts';
import type { CodeStore } from './code.ts';
import { conflict, invalid, notFound } from './errors.ts';
import type { Executor, FunctionConfiguration } from './executor.ts';
import { createPool, type Pool } from './pool.ts';
import { demandTrust, type ExecutionRoles } from './roles.ts';
import { latest, qualifierOf, removeVersion } from './versions.ts';

/** A function as the model keeps it: what is worked on, a version that was published of it, or an alias. */
export interface FunctionState {
  /** `$LATEST`, the number of a version, or the name of an alias. */
  readonly qualifier: string;
  /** Versions and aliases of a function, by qualifier. */
  readonly qualified: Map<string, FunctionState>;
  configuration: FunctionConfiguration;
  description: FunctionDescription;
  readonly pool: Pool;
  tags: Record<string, string>;
  reservedConcurrency: number | undefined;
  /** Invocations from outside plus those of event sources, running now. */
  concurrent: number;
}

/** The functions of the account, and the actions on them. */
export function createFunctions(
  context: ModelContext,
  executor: Executor,
  code: CodeStore,
  roles: ExecutionRoles,
) {
  const { account, region, clock, random } = context;
  const functions = new Map<string, FunctionState>();

  const arnOf = (name: string) => `arn:aws:lambda:${region}:${account}:function:${name}`;
  // A name, a partial ARN or an ARN, each with or without a qualifier.
  const nameOf = (reference: string | undefined) => {
    const parts = (reference ?? '').split(':');
    const marker = parts.indexOf('function');
    return (marker >= 0 ? parts[marker + 1] : parts[0]) ?? '';
  };
  const get = (reference: string | undefined): FunctionState => {
    const found = functions.get(nameOf(reference));
    if (found !== undefined) return found;
    throw notFound(`Function not found: ${arnOf(nameOf(reference))}`);
  };
  /** A function, its version or its alias: the qualifier stands for itself, or at the end of the reference. */
  const find = (reference: string | undefined, qualifier = qualifierOf(reference)): FunctionState => {
    const state = get(reference);
    if (qualifier === undefined || qualifier === state.qualifier) return state;
    const found = state.qualified.get(qualifier);
    if (found !== undefined) return found;
    throw notFound(`Function not found: ${state.configuration.functionArn}:${qualifier}`);
  };
  /** Whether it can still be invoked: nobody has deleted it. */
  const isLive = (state: FunctionState): boolean => {
    const base = functions.get(state.configuration.functionName);
    return base === state || base?.qualified.get(state.qualifier) === state;
  };
  const now = () => new Date(clock.now()).toISOString().replace('Z', '+0000');

  const check = (
    input: CreateFunctionCommandInput | UpdateFunctionConfigurationCommandInput,
    name: string,
  ): void => {
    if (!/^[a-zA-Z0-9-_]{1,64}$/.test(name)) {
      throw invalid(
        `1 validation error detected: Value '${name}' at 'functionName' failed to satisfy constraint: ` +
          'Member must satisfy regular expression pattern: [a-zA-Z0-9-_]+ and have length less than or equal to 64',
      );
    }
    const { Timeout = 3, MemorySize = 128 } = input;
    if (!Number.isInteger(Timeout) || Timeout < 1 || Timeout > 900) {
      throw invalid(`Timeout of function ${name} is ${Timeout}; allowed are whole seconds from 1 to 900.`);
    }
    if (!Number.isInteger(MemorySize) || MemorySize < 128 || MemorySize > 10_240) {
      throw invalid(
        `'MemorySize' value failed to satisfy constraint: Member must have value from 128 to 10240, found ${MemorySize}`,
      );
    }
    if (input.Runtime !== undefined && !input.Runtime.startsWith('nodejs')) {
      throw invalid(
        `Function ${name} has runtime ${input.Runtime}; the model runs Node.js functions only (nodejs20.x, nodejs22.x, nodejs24.x).`,
      );
    }
    const reserved = Object.keys(input.Environment?.Variables ?? {}).filter((key) =>
      reservedVariables.has(key),
    );
    if (reserved.length > 0) {
      throw invalid(
        'Lambda was unable to configure your environment variables because the environment variables you have ' +
          'provided contains reserved keys that are currently not supported for modification. ' +
          `Reserved keys used in this request: ${reserved.join(', ')}`,
      );
    }
  };
  const describe = (
    configuration: FunctionConfiguration,
    previous: FunctionDescription | undefined,
    input: Partial<Pick<CreateFunctionCommandInput, 'Architectures' | 'Description' | 'TracingConfig'>> = {},
  ): FunctionDescription => ({
    ...previous,
    FunctionName: configuration.functionName,
    FunctionArn: configuration.functionArn,
    Runtime: configuration.runtime as NonNullable<FunctionDescription['Runtime']>,
    Role: configuration.role,
    Handler: configuration.handler,
    CodeSize: previous?.CodeSize ?? 0,
    CodeSha256: createHash('sha256')
      .update(configuration.codeFolder ?? '')
      .digest('base64'),
    Description: input.Description ?? previous?.Description ?? '',
    Timeout: configuration.timeout,
    MemorySize: configuration.memorySize,
    LastModified: now(),
    Version: latest,
    Environment:
      Object.keys(configuration.variables).length > 0
        ? { Variables: { ...configuration.variables } }
        : undefined,
    KMSKeyArn: configuration.kmsKeyArn,
    TracingConfig: { Mode: input.TracingConfig?.Mode ?? previous?.TracingConfig?.Mode ?? 'PassThrough' },
    RevisionId: uuid(random),
    State: 'Active',
    LastUpdateStatus: 'Successful',
    PackageType: 'Zip',
    Architectures: input.Architectures ?? previous?.Architectures ?? ['x86_64'],
    EphemeralStorage: { Size: 512 },
    SnapStart: { ApplyOn: 'None', OptimizationStatus: 'Off' },
    LoggingConfig: { LogFormat: 'Text', LogGroup: `/aws/lambda/${configuration.functionName}` },
  });
  const prepare = async (configuration: FunctionConfiguration) => {
    try {
      await executor.prepare(configuration);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const refusal = invalid(reason);
      refusal.cause = error;
      throw refusal;
    }
  };

  const operations = {
    async CreateFunction(input: CreateFunctionCommandInput): Promise<FunctionDescription> {
      const name = nameOf(input.FunctionName);
      const demandNew = () => {
        if (functions.has(name)) throw conflict(`Function already exist: ${name}`);
      };
      demandNew();
      check(input, name);
      if (input.Role === undefined) throw invalid(`Function ${name} has no Role.`);
      demandTrust(roles, input.Role);
      const configuration: FunctionConfiguration = {
        functionName: name,
        functionArn: arnOf(name),
        role: input.Role,
        handler: input.Handler ?? 'index.handler',
        runtime: input.Runtime ?? 'nodejs22.x',
        memorySize: input.MemorySize ?? 128,
        timeout: seconds(input.Timeout ?? 3),
        variables: { ...input.Environment?.Variables },
        kmsKeyArn: input.KMSKeyArn || undefined,
        codeFolder: code.folderOf(name, input.Code ?? {}),
        region,
        account,
        endpoint: context.endpoint,
      };
      await prepare(configuration);
      // Another call may have made it meanwhile.
      demandNew();
      const state: FunctionState = {
        qualifier: latest,
        qualified: new Map(),
        configuration,
        description: describe(configuration, undefined, input),
        pool: createPool(context, executor, configuration),
        tags: { ...input.Tags },
        reservedConcurrency: undefined,
        concurrent: 0,
      };
      functions.set(name, state);
      return state.description;
    },
    GetFunction(input: GetFunctionCommandInput) {
      const state = find(input.FunctionName, input.Qualifier);
      return {
        Configuration: state.description,
        Code: { RepositoryType: 'S3', Location: state.configuration.codeFolder ?? '' },
        Tags: { ...state.tags },
        ...(state.reservedConcurrency !== undefined && {
          Concurrency: { ReservedConcurrentExecutions: state.reservedConcurrency },
        }),
      };
    },
    GetFunctionConfiguration: (input: GetFunctionCommandInput): FunctionDescription =>
      find(input.FunctionName, input.Qualifier).description,
    ListFunctions: (_input: ListFunctionsCommandInput) => ({
      Functions: [...functions.values()].map((state) => state.description),
    }),
    async UpdateFunctionCode(input: UpdateFunctionCodeCommandInput): Promise<FunctionDescription> {
      const state = get(input.FunctionName);
      const from: FunctionCode = { ...input };
      const codeFolder = code.folderOf(state.configuration.functionName, from);
      await prepare({ ...state.configuration, codeFolder });
      if (input.DryRun) return state.description;
      // Meanwhile it may have been deleted, or have another configuration, which stays.
      if (get(input.FunctionName) !== state) throw conflict('The function was replaced during the update.');
      const configuration = { ...state.configuration, codeFolder };
      state.configuration = configuration;
      state.description = describe(configuration, state.description, {
        Architectures: input.Architectures,
      });
      state.pool.replace(configuration);
      return state.description;
    },
    async UpdateFunctionConfiguration(
      input: UpdateFunctionConfigurationCommandInput,
    ): Promise<FunctionDescription> {
      const state = get(input.FunctionName);
      const old = state.configuration;
      check(input, old.functionName);
      if (input.Role !== undefined) demandTrust(roles, input.Role);
      const configuration: FunctionConfiguration = {
        ...old,
        role: input.Role ?? old.role,
        handler: input.Handler ?? old.handler,
        runtime: input.Runtime ?? old.runtime,
        memorySize: input.MemorySize ?? old.memorySize,
        timeout: input.Timeout === undefined ? old.timeout : seconds(input.Timeout),
        variables: input.Environment === undefined ? old.variables : { ...input.Environment.Variables },
        // An empty text takes it away.
        kmsKeyArn: input.KMSKeyArn === undefined ? old.kmsKeyArn : input.KMSKeyArn || undefined,
      };
      // Whether the code has the handler is not asked: the code that has it may come with the next call.
      state.configuration = configuration;
      state.description = describe(configuration, state.description, input);
      state.pool.replace(configuration);
      return state.description;
    },
    DeleteFunction(input: DeleteFunctionCommandInput) {
      const qualifier = input.Qualifier ?? qualifierOf(input.FunctionName);
      if (qualifier !== undefined) {
        removeVersion(get(input.FunctionName), qualifier);
        return {};
      }
      const state = get(input.FunctionName);
      functions.delete(state.configuration.functionName);
      for (const { pool } of [state, ...state.qualified.values()]) pool.stop();
      return {};
    },
    PutFunctionConcurrency(input: PutFunctionConcurrencyCommandInput) {
      const limit = input.ReservedConcurrentExecutions;
      if (limit === undefined || !Number.isInteger(limit) || limit < 0) {
        throw invalid(`ReservedConcurrentExecutions is ${limit}; allowed are whole numbers from 0.`);
      }
      get(input.FunctionName).reservedConcurrency = limit;
      return { ReservedConcurrentExecutions: limit };
    },
    DeleteFunctionConcurrency(input: DeleteFunctionCommandInput) {
      get(input.FunctionName).reservedConcurrency = undefined;
      return {};
    },
    ListTags: (input: ListTagsCommandInput) => ({ Tags: { ...get(input.Resource).tags } }),
    TagResource(input: TagResourceCommandInput) {
      const state = get(input.Resource);
      state.tags = { ...state.tags, ...input.Tags };
      return {};
    },
    UntagResource(input: UntagResourceCommandInput) {
      const state = get(input.Resource);
      for (const key of input.TagKeys ?? []) delete state.tags[key];
      return {};
    },
  };
  return { functions, get, find, isLive, nameOf, operations };
}

/** Variables that Lambda sets itself and refuses to take (Lambda developer guide, "Reserved environment variables"). */
const reservedVariables = new Set([
  '_HANDLER',
  '_X_AMZN_TRACE_ID',
  'AWS_DEFAULT_REGION',
  'AWS_REGION',
  'AWS_EXECUTION_ENV',
  'AWS_LAMBDA_FUNCTION_NAME',
  'AWS_LAMBDA_FUNCTION_MEMORY_SIZE',
  'AWS_LAMBDA_FUNCTION_VERSION',
  'AWS_LAMBDA_INITIALIZATION_TYPE',
  'AWS_LAMBDA_LOG_GROUP_NAME',
  'AWS_LAMBDA_LOG_STREAM_NAME',
  'AWS_ACCESS_KEY',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'AWS_LAMBDA_RUNTIME_API',
  'LAMBDA_TASK_ROOT',
  'LAMBDA_RUNTIME_DIR',
]);

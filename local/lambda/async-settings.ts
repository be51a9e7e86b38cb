import type {
  DeleteFunctionEventInvokeConfigCommandInput,
  FunctionEventInvokeConfig,
  GetFunctionEventInvokeConfigCommandInput,
  PutFunctionEventInvokeConfigCommandInput,
} from '@aws-sdk/client-lambda';
import { type Clock, type Milliseconds, milliseconds } from '../../lib/base/index.ts';
import { invalid, notFound } from './errors.ts';
import type { FunctionState } from './functions.ts';

/** How long an asynchronous event is kept, and how often its function is tried again. */
export interface AsyncSettings {
  readonly age: Milliseconds;
  readonly retries: number;
}

/** What Lambda does of itself, and the bounds of what can be asked (Lambda developer guide, "Asynchronous invocation"). */
const longest = 6 * 3_600;
const shortest = 60;
const mostRetries = 2;

/** Settings of asynchronous invocation, for a function, one of its versions or one of its aliases. */
export function createAsyncSettings(
  clock: Clock,
  find: (reference: string | undefined, qualifier?: string) => FunctionState,
) {
  const kept = new WeakMap<FunctionState, FunctionEventInvokeConfig>();
  const get = (input: GetFunctionEventInvokeConfigCommandInput) => {
    const state = find(input.FunctionName, input.Qualifier);
    const found = kept.get(state);
    if (found !== undefined) return { state, found };
    throw notFound(
      `The function ${state.configuration.functionArn} (${state.qualifier}) doesn't have an EventInvokeConfig`,
    );
  };
  const put = (
    input: PutFunctionEventInvokeConfigCommandInput,
    before: FunctionEventInvokeConfig = {},
  ): FunctionEventInvokeConfig => {
    const state = find(input.FunctionName, input.Qualifier);
    const age = input.MaximumEventAgeInSeconds ?? before.MaximumEventAgeInSeconds;
    const retries = input.MaximumRetryAttempts ?? before.MaximumRetryAttempts;
    if (age !== undefined && !(Number.isInteger(age) && age >= shortest && age <= longest))
      throw invalid(`MaximumEventAgeInSeconds is from ${shortest} to ${longest}, found ${age}.`);
    if (retries !== undefined && !(Number.isInteger(retries) && retries >= 0 && retries <= mostRetries))
      throw invalid(`MaximumRetryAttempts is from 0 to ${mostRetries}, found ${retries}.`);
    const { OnSuccess, OnFailure } = input.DestinationConfig ?? {};
    if (OnSuccess?.Destination !== undefined || OnFailure?.Destination !== undefined)
      throw invalid('DestinationConfig is not part of the model: what its function cannot take is dropped.');
    const configuration: FunctionEventInvokeConfig = {
      LastModified: new Date(clock.now()),
      FunctionArn: state.qualifier.startsWith('$')
        ? `${state.configuration.functionArn}:${state.qualifier}`
        : state.configuration.functionArn,
      ...(age !== undefined && { MaximumEventAgeInSeconds: age }),
      ...(retries !== undefined && { MaximumRetryAttempts: retries }),
      DestinationConfig: { OnSuccess: {}, OnFailure: {} },
    };
    kept.set(state, configuration);
    return configuration;
  };
  return {
    settingsOf(state: FunctionState): AsyncSettings {
      const { MaximumEventAgeInSeconds: age = longest, MaximumRetryAttempts: retries = mostRetries } =
        kept.get(state) ?? {};
      return { age: milliseconds(age * 1_000), retries };
    },
    operations: {
      PutFunctionEventInvokeConfig: (input: PutFunctionEventInvokeConfigCommandInput) => put(input),
      UpdateFunctionEventInvokeConfig: (input: PutFunctionEventInvokeConfigCommandInput) =>
        put(input, get(input).found),
      GetFunctionEventInvokeConfig: (input: GetFunctionEventInvokeConfigCommandInput) => get(input).found,
      DeleteFunctionEventInvokeConfig(input: DeleteFunctionEventInvokeConfigCommandInput) {
        kept.delete(get(input).state);
        return {};
      },
    },
  };
}

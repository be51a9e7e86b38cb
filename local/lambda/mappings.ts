import type {
  CreateEventSourceMappingCommandInput,
  DeleteEventSourceMappingCommandInput,
  EventSourceMappingConfiguration,
  GetEventSourceMappingCommandInput,
  ListEventSourceMappingsCommandInput,
  UpdateEventSourceMappingCommandInput,
} from '@aws-sdk/client-lambda';
import { seconds, uuid } from '../../lib/base/index.ts';
import { type ModelContext, ServiceError } from '../service.ts';
import { conflict, invalid, notFound } from './errors.ts';
import {
  type EventSource,
  type EventSourceParts,
  type EventSourceSettings,
  startEventSource,
} from './event-source.ts';
import type { FunctionState } from './functions.ts';
import { faultOf, type Pattern } from './pattern.ts';
import { callOf, demandPolling } from './roles.ts';

interface Mapping {
  configuration: EventSourceMappingConfiguration;
  state: FunctionState;
  readonly queueUrl: string;
  source: EventSource | undefined;
}

/**
 * An event source as seen from outside.
 *
 * @example
 * ```ts
 * const pollers = aws.lambda.eventSources().map(({ functionName, busy }) => `${functionName}: ${busy}`);
 * ```
 */
export interface EventSourceView {
  readonly id: string;
  readonly functionName: string;
  readonly queueArn: string;
  readonly enabled: boolean;
  /** Pollers, and how many of them are running a batch. */
  readonly pollers: number;
  readonly busy: number;
}

/** The event source mappings of the account, and the actions on them. */
export function createMappings(
  context: ModelContext,
  getFunction: (reference: string | undefined) => FunctionState,
  parts: Omit<EventSourceParts, 'report'>,
) {
  const { clock, random, region, account } = context;
  const mappings = new Map<string, Mapping>();

  const get = (id: string | undefined): Mapping => {
    const found = mappings.get(id ?? '');
    if (found !== undefined) return found;
    throw notFound('The resource you requested does not exist.');
  };
  const run = (mapping: Mapping) => {
    mapping.source?.stop();
    mapping.source = undefined;
    if (mapping.configuration.State !== 'Enabled') return;
    mapping.source = startEventSource(settingsOf(mapping), mapping.state, {
      ...parts,
      report: (result) => {
        mapping.configuration = { ...mapping.configuration, LastProcessingResult: result };
      },
    });
  };
  const checkQueue = async (queueUrl: string, queueArn: string, state: FunctionState) => {
    demandPolling(parts.roles, state.configuration, queueArn);
    let visibility: number;
    try {
      const { Attributes } = await parts.queue.attributes(
        { QueueUrl: queueUrl, AttributeNames: ['VisibilityTimeout'] },
        callOf(state.configuration),
      );
      visibility = Number(Attributes?.VisibilityTimeout);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const refusal = invalid(
        `Error occurred while ReceiveMessage. SQS Error Code: ${error.name}. SQS Error Message: ${error.message} (${queueArn})`,
      );
      refusal.cause = error;
      throw refusal;
    }
    const { timeout } = state.configuration;
    if (visibility < timeout) {
      throw invalid(
        `Queue visibility timeout: ${visibility} seconds is less than Function timeout: ${timeout} seconds`,
      );
    }
  };

  const refuseSecond = (queueArn: string, { configuration: target }: FunctionState) => {
    for (const { configuration } of mappings.values()) {
      if (configuration.EventSourceArn !== queueArn || configuration.FunctionArn !== target.functionArn)
        continue;
      throw conflict(
        `The event source arn (" ${queueArn} ") and function (" ${target.functionName} ") provided mapping already exists. ` +
          `Please update or delete the existing mapping with UUID ${configuration.UUID}`,
      );
    }
  };

  const operations = {
    async CreateEventSourceMapping(
      input: CreateEventSourceMappingCommandInput,
    ): Promise<EventSourceMappingConfiguration> {
      const queueArn = input.EventSourceArn ?? '';
      const [, , service, queueRegion, queueAccount, queueName] = queueArn.split(':');
      if (service !== 'sqs' || queueName === undefined) {
        throw invalid(`Unrecognized event source "${queueArn}": the model knows SQS queues only.`);
      }
      if (queueRegion !== region) throw invalid(`Queue ${queueArn} has to be in region ${region}.`);
      const state = getFunction(input.FunctionName);
      refuseSecond(queueArn, state);
      check(input, queueName.endsWith('.fifo'));
      const queueUrl = `${context.endpoint}/${queueAccount ?? account}/${queueName}`;
      await checkQueue(queueUrl, queueArn, state);
      // Another call may have made it meanwhile.
      refuseSecond(queueArn, state);
      const id = uuid(random);
      const mapping: Mapping = {
        configuration: {
          UUID: id,
          EventSourceMappingArn: `arn:aws:lambda:${region}:${account}:event-source-mapping:${id}`,
          EventSourceArn: queueArn,
          FunctionArn: state.configuration.functionArn,
          BatchSize: input.BatchSize ?? 10,
          MaximumBatchingWindowInSeconds: input.MaximumBatchingWindowInSeconds ?? 0,
          FunctionResponseTypes: input.FunctionResponseTypes ?? [],
          ...optional(input),
          LastModified: new Date(clock.now()),
          LastProcessingResult: 'No records processed',
          State: input.Enabled === false ? 'Disabled' : 'Enabled',
          StateTransitionReason: 'USER_INITIATED',
        },
        state,
        queueUrl,
        source: undefined,
      };
      mappings.set(id, mapping);
      run(mapping);
      return { ...mapping.configuration, State: 'Creating' };
    },
    GetEventSourceMapping: (input: GetEventSourceMappingCommandInput): EventSourceMappingConfiguration =>
      get(input.UUID).configuration,
    async UpdateEventSourceMapping(
      input: UpdateEventSourceMappingCommandInput,
    ): Promise<EventSourceMappingConfiguration> {
      const mapping = get(input.UUID);
      const { UUID: _, FunctionName, Enabled, ...changes } = input;
      const state = FunctionName === undefined ? mapping.state : getFunction(FunctionName);
      const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
      const queueArn = mapping.configuration.EventSourceArn ?? '';
      const changed = () => {
        const old = mapping.configuration;
        if (state !== mapping.state) refuseSecond(queueArn, state);
        const { FilterCriteria, ScalingConfig, ...next } = { ...old, ...given };
        const all = { ...next, ...optional({ FilterCriteria, ScalingConfig }) };
        check(all, queueArn.endsWith('.fifo'));
        return {
          ...all,
          FunctionArn: state.configuration.functionArn,
          LastModified: new Date(clock.now()),
          State: Enabled === undefined ? (old.State ?? 'Enabled') : Enabled ? 'Enabled' : 'Disabled',
        };
      };
      changed();
      await checkQueue(mapping.queueUrl, queueArn, state);
      // Meanwhile it may have been deleted, when nothing must poll for it again, or changed.
      get(input.UUID);
      mapping.configuration = changed();
      mapping.state = state;
      run(mapping);
      return { ...mapping.configuration, State: 'Updating' };
    },
    DeleteEventSourceMapping(input: DeleteEventSourceMappingCommandInput): EventSourceMappingConfiguration {
      const mapping = get(input.UUID);
      mapping.source?.stop();
      mappings.delete(mapping.configuration.UUID ?? '');
      return { ...mapping.configuration, State: 'Deleting' };
    },
    ListEventSourceMappings(input: ListEventSourceMappingsCommandInput) {
      const wanted = input.FunctionName === undefined ? undefined : getFunction(input.FunctionName);
      return {
        EventSourceMappings: [...mappings.values()]
          .filter(({ state }) => wanted === undefined || state === wanted)
          .map(({ configuration }) => configuration)
          .filter(({ EventSourceArn }) => (input.EventSourceArn ?? EventSourceArn) === EventSourceArn),
      };
    },
  };
  return {
    operations,
    views: (): readonly EventSourceView[] =>
      [...mappings.values()].map(({ configuration, state, source }) => ({
        id: configuration.UUID ?? '',
        functionName: state.configuration.functionName,
        queueArn: configuration.EventSourceArn ?? '',
        enabled: configuration.State === 'Enabled',
        pollers: source?.pollers() ?? 0,
        busy: source?.busy() ?? 0,
      })),
    stop() {
      for (const { source } of mappings.values()) source?.stop();
    },
  };
}

/** Filters and scaling as they are kept: an empty one takes it away (Lambda API reference, UpdateEventSourceMapping). */
const optional = ({
  FilterCriteria,
  ScalingConfig,
}: Pick<EventSourceMappingConfiguration, 'FilterCriteria' | 'ScalingConfig'>) => ({
  ...((FilterCriteria?.Filters?.length ?? 0) > 0 && FilterCriteria !== undefined && { FilterCriteria }),
  ...(ScalingConfig?.MaximumConcurrency !== undefined && { ScalingConfig }),
});

function settingsOf({ configuration, queueUrl }: Mapping): EventSourceSettings {
  return {
    id: configuration.UUID ?? '',
    queueArn: configuration.EventSourceArn ?? '',
    queueUrl,
    batchSize: configuration.BatchSize ?? 10,
    window: seconds(configuration.MaximumBatchingWindowInSeconds ?? 0),
    filters: (configuration.FilterCriteria?.Filters ?? []).map(
      ({ Pattern: text }) => JSON.parse(text ?? '{}') as Pattern,
    ),
    maximumConcurrency: configuration.ScalingConfig?.MaximumConcurrency,
    reportBatchItemFailures:
      configuration.FunctionResponseTypes?.includes('ReportBatchItemFailures') ?? false,
  };
}

type Checked = Pick<
  CreateEventSourceMappingCommandInput,
  | 'BatchSize'
  | 'MaximumBatchingWindowInSeconds'
  | 'FilterCriteria'
  | 'ScalingConfig'
  | 'FunctionResponseTypes'
  | 'ProvisionedPollerConfig'
  | 'DestinationConfig'
>;

/** The rules of an SQS event source (Lambda developer guide, "Lambda parameters for Amazon SQS event source mappings"). */
function check(input: Checked, fifo: boolean): void {
  const { BatchSize = 10, MaximumBatchingWindowInSeconds: window = 0 } = input;
  const most = fifo ? 10 : 10_000;
  if (!Number.isInteger(BatchSize) || BatchSize < 1 || BatchSize > most) {
    throw invalid(
      `Batch size must be between 1 and ${most}${fifo ? ' for FIFO queues' : ''}, found ${BatchSize}.`,
    );
  }
  if (!Number.isInteger(window) || window < 0 || window > 300) {
    throw invalid(`Maximum batch window in seconds must be between 0 and 300, found ${window}.`);
  }
  if (fifo && window > 0) throw invalid('Batching window is not supported for FIFO queues');
  if (BatchSize > 10 && window === 0) {
    throw invalid(
      'Maximum batch window in seconds must be greater than 0 if maximum batch size is greater than 10',
    );
  }
  const concurrency = input.ScalingConfig?.MaximumConcurrency;
  if (
    concurrency !== undefined &&
    (!Number.isInteger(concurrency) || concurrency < 2 || concurrency > 1_000)
  ) {
    throw invalid(`MaximumConcurrency must be between 2 and 1000, found ${concurrency}.`);
  }
  if (input.ProvisionedPollerConfig !== undefined) {
    throw invalid('ProvisionedPollerConfig is not part of the model; MaximumConcurrency is.');
  }
  if (input.DestinationConfig?.OnFailure?.Destination !== undefined) {
    throw invalid(
      'Unsupported parameter for SQS event source: DestinationConfig. Use a redrive policy on the queue.',
    );
  }
  for (const type of input.FunctionResponseTypes ?? []) {
    if (type !== 'ReportBatchItemFailures') {
      throw invalid(`FunctionResponseTypes may hold ReportBatchItemFailures only, found ${type}.`);
    }
  }
  const filters = input.FilterCriteria?.Filters ?? [];
  if (filters.length > 5) throw invalid(`At most 5 filters are allowed, found ${filters.length}.`);
  for (const { Pattern: text } of filters) {
    let pattern: unknown;
    try {
      pattern = JSON.parse(text ?? '');
    } catch (cause) {
      const refusal = invalid(`Invalid filter pattern definition: not JSON: ${text}`);
      refusal.cause = cause;
      throw refusal;
    }
    const fault = faultOf(pattern);
    if (fault !== undefined) throw invalid(fault);
  }
}

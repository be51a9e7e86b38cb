import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { environment as names } from '../../lib/topology/index.ts';
import type { AssemblyStack, CloudAssembly, Template, TemplateResource } from '../../local/index.ts';
import { WorkFault } from './errors.ts';

/** The consumer of a subscriber, as an app synthesized it. */
export interface Consumer {
  readonly stack: AssemblyStack;
  /** Key of the output with the queue's URL. */
  readonly output: string;
  /** Logical ids. */
  readonly queue: string;
  readonly function: string;
  /** Variables, with intrinsic functions in them. */
  readonly variables: Readonly<Record<string, unknown>>;
  /** The module of its bundle, and what that exports. */
  readonly file: string;
  readonly exportName: string;
  /** Seconds. */
  readonly timeout: number;
  readonly fifo: boolean;
  readonly batchSize: number | undefined;
  /** Seconds. */
  readonly batchWindow: number | undefined;
  readonly concurrency: number | undefined;
}

const prefix = 'QueueUrl';

/** Names meet whatever their spelling: the output of `stock-mail` is QueueUrlStockMail. */
const plain = (name: string) => name.replace(/[^A-Za-z0-9]/g, '').toLowerCase();

/**
 * Finds the function that consumes the queue of a subscriber.
 *
 * @throws {WorkFault} when there is no such stack or subscriber, or several stacks have it
 */
export function findConsumer(assembly: CloudAssembly, subscriber: string, stackName?: string): Consumer {
  const all = assembly.stacks.map(({ name }) => name);
  const stacks =
    stackName === undefined ? assembly.stacks : assembly.stacks.filter(({ name }) => name === stackName);
  if (stacks.length === 0)
    throw new WorkFault(
      'usage',
      stackName === undefined
        ? 'the app has no stack.'
        : `the app has no stack "${stackName}"; there are ${all.join(', ')}.`,
    );
  const found = stacks.flatMap((stack) =>
    outputsOf(stack.template)
      .filter((output) => plain(output.slice(prefix.length)) === plain(subscriber))
      .map((output) => ({ stack, output })),
  );
  const [first, second] = found;
  if (first === undefined) {
    const known = stacks.flatMap(({ template }) => outputsOf(template).map(subscriberOf));
    throw new WorkFault(
      'usage',
      `there is no subscriber "${subscriber}" in ${stacks.map(({ name }) => name).join(', ')}; there are ${[...new Set(known)].join(', ') || 'none'}.`,
    );
  }
  if (second !== undefined)
    throw new WorkFault(
      'usage',
      `several stacks have a subscriber "${subscriber}": choose with --stack ${found.map(({ stack }) => stack.name).join(' or --stack ')}.`,
    );
  return consumerOf(assembly, first.stack, first.output, subscriber);
}

const outputsOf = (template: Template): string[] =>
  Object.keys(template.Outputs ?? {}).filter((key) => key.startsWith(prefix));

const subscriberOf = (output: string): string => {
  const name = output.slice(prefix.length);
  return name.charAt(0).toLowerCase() + name.slice(1);
};

const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

function consumerOf(
  assembly: CloudAssembly,
  stack: AssemblyStack,
  output: string,
  subscriber: string,
): Consumer {
  const { Resources = {}, Outputs = {} } = stack.template;
  const url = Outputs[output]?.Value;
  const queue = String((url as { Ref?: string } | undefined)?.Ref);
  const ofType = (type: string) => Object.entries(Resources).filter(([, { Type }]) => Type === type);
  const mappingOf = (id: string) =>
    ofType('AWS::Lambda::EventSourceMapping').find(
      ([, { Properties }]) =>
        same(Properties?.FunctionName, { Ref: id }) &&
        same(Properties?.EventSourceArn, { 'Fn::GetAtt': [queue, 'Arn'] }),
    )?.[1].Properties;
  const candidates = ofType('AWS::Lambda::Function').filter(([, resource]) =>
    same(variablesOf(resource)[names.queueUrl], url),
  );
  // A function that only looks at the queue may know it too.
  const chosen = candidates.find(([id]) => mappingOf(id) !== undefined) ?? candidates[0];
  if (chosen === undefined)
    throw new WorkFault(
      'failure',
      `no function of stack ${stack.name} has the queue of "${subscriber}" as its ${names.queueUrl}: is it a MessagingStack?`,
    );
  const [id, resource] = chosen;
  const mapping = mappingOf(id);
  const number = (value: unknown) => (value === undefined ? undefined : Number(value));
  return {
    ...{ stack, output, queue, function: id },
    variables: variablesOf(resource),
    ...bundleOf(assembly, resource, subscriber),
    timeout: number(resource.Properties?.Timeout) ?? 3,
    fifo: String(Resources[queue]?.Properties?.FifoQueue) === 'true',
    batchSize: number(mapping?.BatchSize),
    batchWindow: number(mapping?.MaximumBatchingWindowInSeconds),
    concurrency: number((mapping?.ScalingConfig as { MaximumConcurrency?: unknown })?.MaximumConcurrency),
  };
}

const variablesOf = ({ Properties }: TemplateResource): Readonly<Record<string, unknown>> =>
  (Properties?.Environment as { Variables?: Readonly<Record<string, unknown>> } | undefined)?.Variables ?? {};

/** The module that Lambda would load. */
function bundleOf(assembly: CloudAssembly, { Properties }: TemplateResource, subscriber: string) {
  const { S3Key: key } = (Properties?.Code ?? {}) as { S3Key?: unknown };
  const folder = assembly.assets.find((asset) => asset.key === key)?.path;
  const [, module = '', exportName = ''] = /^(.+)\.([^.]+)$/.exec(String(Properties?.Handler)) ?? [];
  const file = ['.mjs', '.js', '.cjs']
    .map((ending) => join(folder ?? '', `${module}${ending}`))
    .find((path) => folder !== undefined && existsSync(path));
  if (file === undefined)
    throw new WorkFault(
      'failure',
      `the handler of "${subscriber}" is no bundle of the app (handler ${String(Properties?.Handler)}): only a Node.js function whose code is a folder of the assembly can be run here.`,
    );
  return { file, exportName };
}

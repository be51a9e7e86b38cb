import { availableParallelism } from 'node:os';
import { type AwsModel, type AwsOptions, createAws } from '../aws.ts';
import { type CloudAssembly, loadAssembly, type StackListener } from '../cloudformation/index.ts';
import { createEndpoint, type Endpoint, queuePath, warmUp } from '../http/index.ts';
import { workerExecutor } from '../lambda/index.ts';
import { dashboardRoutes } from '../page/index.ts';
import type { Letter } from '../sns/index.ts';
import { LocalStackError } from './errors.ts';
import type { LocalOptions, LocalResource, LocalStack } from './options.ts';
import { demandProject, synthesize } from './synthesize.ts';

/**
 * Runs a stack on this machine: starts the model of AWS behind an HTTP endpoint, synthesizes the CDK app and
 * deploys it, with its functions in worker threads. When anything fails, what was begun is stopped again.
 *
 * @throws {LocalStackError} when the port is taken, or the app cannot be synthesized
 * @throws {DeploymentError} when the model cannot deploy what the app synthesized
 * @example
 * ```ts
 * const local = await startLocal({ port: 0, progress: console.log });
 * console.log(local.url, local.outputs);
 * await local.stop();
 * ```
 */
export async function startLocal(options: LocalOptions = {}): Promise<LocalStack> {
  const { port = 4566, progress = () => {}, signal } = options;
  signal?.throwIfAborted();
  if (options.empty !== true && options.assembly === undefined)
    demandProject(pick(options, ['directory', 'app']));
  const made: {
    models: AwsModel[];
    endpoint?: Endpoint;
    removeAssembly?: () => void;
    isReady?: true;
  } = {
    models: [],
  };
  const stop = async () => {
    for (const model of made.models) model.stop();
    await made.endpoint?.close();
    made.removeAssembly?.();
  };
  try {
    // The steps of the start are told one by one; what others deploy later is told when it is over.
    const heard: StackListener = (stack) => {
      if (made.isReady) for (const line of toldOf(stack)) progress(line);
    };
    const endpoint = await openEndpoint(port, options, made.models, heard);
    made.endpoint = endpoint;
    const aws = made.models[0] as AwsModel;
    progress(`AWS model at ${endpoint.url}`);
    const outputs: Record<string, string> = {};
    const resources: Record<string, LocalResource> = {};
    const stacks: Record<string, Pick<LocalStack, 'outputs' | 'resources'>> = {};
    if (options.empty !== true) {
      const folder = options.assembly ?? (await synthesizeApp(options, aws, made));
      const assembly = loadAssembly(folder);
      const wanted = options.stacks ?? assembly.stacks.map(({ name }) => name);
      const parametersOf = shareParameters(assembly, wanted, options.parameters ?? {});
      for (const name of wanted) {
        signal?.throwIfAborted();
        progress(`Deploying stack ${name}`);
        const deployed = await aws.cloudformation.deploy(assembly, name, { parameters: parametersOf(name) });
        Object.assign(outputs, deployed.outputs);
        Object.assign(resources, deployed.resources);
        stacks[name] = { outputs: deployed.outputs, resources: deployed.resources };
        for (const warning of deployed.warnings) progress(`Warning: ${warning}`);
      }
    }
    signal?.throwIfAborted();
    made.isReady = true;
    return { aws, url: endpoint.url, port: endpoint.port, outputs, resources, stacks, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** What the terminal is told of a stack that has come to another status: how it ended, and what has no effect. */
function toldOf({ name, status, reason, warnings }: Parameters<StackListener>[0]): readonly string[] {
  // The beginning of a way back says why.
  const begins = status.endsWith('_IN_PROGRESS');
  if (begins && !/^(UPDATE_)?ROLLBACK_IN_PROGRESS$/.test(status)) return [];
  const why = begins || status.endsWith('_FAILED') ? reason : undefined;
  return [
    `Stack ${name}: ${status}${why === undefined ? '' : `. ${why}`}`,
    ...(/^(CREATE|UPDATE)_COMPLETE$/.test(status) ? warnings.map((each) => `Warning: ${each}`) : []),
  ];
}

/** The model sends no mail: the terminal says what would go where, and how to confirm. */
const toldOfLetter = ({ to, subject, topicArn, token }: Letter): string =>
  token === undefined
    ? `SNS would write to ${to}: ${subject}`
    : `SNS would ask ${to} to confirm its subscription; until then it gets nothing: aws sns confirm-subscription --topic-arn ${topicArn} --token ${token}`;

/** Opens the endpoint; the models of its regions come into the list as they are made, the stack's own first. */
async function openEndpoint(
  port: number,
  options: LocalOptions,
  models: AwsModel[],
  stackHeard: StackListener,
): Promise<Endpoint> {
  const { routes } = options;
  const make = (endpoint: string, other: Pick<AwsOptions, 'region' | 'global' | 'queueUrls'> = {}) => {
    const model = createAws({
      executor: (log) => workerExecutor({ log }),
      batchesAtOnce: Math.max(2, availableParallelism()),
      ...pick(options, [
        'clock',
        'random',
        'account',
        'region',
        'sqs',
        'executor',
        'environmentsPerFunction',
        'batchesAtOnce',
        'faults',
        'eventSourceFaults',
        'log',
      ]),
      ...other,
      endpoint,
      mail: (letter) => options.progress?.(toldOfLetter(letter)),
      stackHeard,
    });
    models.push(model);
    return model;
  };
  try {
    return await createEndpoint((url) => make(url), {
      port,
      region(name) {
        const [home] = models as [AwsModel];
        const { endpoint } = home.context;
        return make(endpoint, { region: name, global: home, queueUrls: `${endpoint}${queuePath(name)}` });
      },
      routes: () => ({
        ...dashboardRoutes(() => models[0] as AwsModel),
        ...routes?.(models[0] as AwsModel),
      }),
    });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE')
      throw new LocalStackError(
        `Port ${port} is in use on 127.0.0.1. End what listens there, or choose another port (0 takes any free one).`,
        { cause },
      );
    if (code === 'EACCES')
      throw new LocalStackError(`Port ${port} may not be opened by this user. Choose one from 1024 up.`, {
        cause,
      });
    throw cause;
  }
}

async function synthesizeApp(
  options: LocalOptions,
  aws: AwsModel,
  made: { removeAssembly?: () => void },
): Promise<string> {
  options.progress?.('Synthesizing the app');
  // The app runs in a process of its own: meanwhile this one gets ready for the functions' first requests.
  const warm = warmUp(['sqs', 'dynamodb', 'sns']);
  const { account, region } = aws.context;
  const synthesis = await synthesize({
    ...pick(options, ['directory', 'app', 'stacks', 'signal']),
    account,
    region,
  });
  made.removeAssembly = synthesis.remove;
  await warm;
  return synthesis.folder;
}

/** Each stack gets the parameters that its template has; one that no stack has is a mistake. */
function shareParameters(
  assembly: CloudAssembly,
  wanted: readonly string[],
  parameters: Readonly<Record<string, string>>,
): (stack: string) => Record<string, string> {
  const declared = (name: string) =>
    assembly.stacks.find((stack) => stack.name === name)?.template.Parameters ?? {};
  const unknown = Object.keys(parameters).filter((each) =>
    wanted.every((name) => !Object.hasOwn(declared(name), each)),
  );
  if (unknown.length > 0)
    throw new LocalStackError(
      `No stack has the parameter ${unknown.join(', ')}; there are: ${
        wanted.flatMap((name) => Object.keys(declared(name))).join(', ') || 'none'
      }.`,
    );
  return (stack) =>
    Object.fromEntries(Object.entries(parameters).filter(([name]) => Object.hasOwn(declared(stack), name)));
}

/** Those of the options that were given. */
function pick<Options extends object, Name extends keyof Options>(
  options: Options,
  names: readonly Name[],
): Pick<Options, Name> {
  const picked: Partial<Pick<Options, Name>> = {};
  for (const name of names) if (options[name] !== undefined) picked[name] = options[name];
  return picked as Pick<Options, Name>;
}

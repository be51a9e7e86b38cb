import { pathToFileURL } from 'node:url';
import { type ConsumerFunction, startWorker, WorkerError } from '../../lambda/worker/index.ts';
import { seconds, systemClock } from '../../lib/base/index.ts';
import { loadAssembly, synthesize } from '../../local/index.ts';
import { attributeOf } from './attributes.ts';
import { type Consumer, findConsumer } from './consumer.ts';
import { type DeployedStack, describeStack } from './deployed.ts';
import { said, WorkFault } from './errors.ts';
import { takeOutput } from './output.ts';
import { inWords, type Progress, progressOf, watch } from './progress.ts';
import { demandServer } from './reachable.ts';
import { rivalsOf } from './rivals.ts';
import { demandOwnPlace, resolveVariables } from './variables.ts';

/**
 * What {@link work} takes. Region, credentials and endpoint are those of `process.env`, where the handler's bundle looks
 * for them too.
 *
 * @example
 * ```ts
 * const options: WorkOptions = { subscriber: 'email', place: 'at http://127.0.0.1:4566', poll: 2, grace: 25, stop };
 * ```
 */
export interface WorkOptions {
  readonly subscriber: string;
  /** What to call the endpoint or the account: `at http://127.0.0.1:4566`. */
  readonly place: string;
  /** @default - AWS itself */
  readonly endpoint?: string | undefined;
  /** @default - the only one that has the subscriber */
  readonly stack?: string | undefined;
  /** @default - `app` of cdk.json */
  readonly app?: string | undefined;
  /** Account and region as the app may ask for them. */
  readonly account?: string | undefined;
  readonly region?: string | undefined;
  /** @default - as declared */
  readonly concurrency?: number | undefined;
  /** Variables of the handler in place of the stack's. */
  readonly variables?: Readonly<Record<string, string>> | undefined;
  /** Seconds that a poll waits, 1 to 20. */
  readonly poll: number;
  /** Seconds that running invocations have when it is stopped. */
  readonly grace: number;
  /** JSON lines on standard output in place of words. */
  readonly json?: boolean | undefined;
  /** Ends it. */
  readonly stop: AbortSignal;
}

/**
 * Runs the handler of a subscriber in this process: synthesizes the app, finds the function that consumes the subscriber's
 * queue, gives its bundle the variables that it has in the deployed stack, and polls the queue until `stop`. What the
 * handler prints goes to standard error.
 *
 * @throws {WorkFault} in one line, when something stands in the way
 * @throws {LocalStackError} when the app cannot be synthesized
 * @example
 * ```ts
 * await work({ subscriber: 'email', place: 'at http://127.0.0.1:4566', poll: 2, grace: 25, stop });
 * ```
 */
export async function work(options: WorkOptions): Promise<void> {
  const { subscriber, place, stop, variables = {} } = options;
  demandOwnPlace(variables);
  if (options.endpoint !== undefined) await demandServer(options.endpoint);
  const synthesis = await synthesize({
    ...(options.app === undefined ? {} : { app: options.app }),
    ...(options.stack === undefined ? {} : { stacks: [options.stack] }),
    ...(options.account === undefined ? {} : { account: options.account }),
    ...(options.region === undefined ? {} : { region: options.region }),
    // The function is not in a template that is made for workers, and it is the function that says what to run.
    context: { 'sluice:consumers': 'lambda' },
    signal: stop,
  });
  // A second signal, and an error that the handler lets escape, end the process where it stands.
  process.once('exit', synthesis.remove);
  const output = takeOutput(process.stdout, (text) => void process.stderr.write(text));
  try {
    const consumer = findConsumer(loadAssembly(synthesis.folder), subscriber, options.stack);
    const deployed = await describeStack(consumer.stack.name, place, stop);
    const queueUrl = queueOf(consumer, deployed, subscriber, place);
    stop.throwIfAborted();
    Object.assign(process.env, resolveVariables(consumer, deployed, variables));
    const handler = await load(consumer, subscriber);
    const queueArn = attributeOf('AWS::SQS::Queue', queueUrl, 'Arn', deployed) as string;
    const rivals = await rivalsOf(queueArn, stop);
    stop.throwIfAborted();

    const concurrency = options.concurrency ?? consumer.concurrency ?? 10;
    const log = (level: string) => (message: string, fields?: object) =>
      void process.stderr.write(`${level}: ${message} ${JSON.stringify(fields ?? {})}\n`);
    const worker = startWorker({
      ...{ handler, queueUrl, concurrency, fifo: consumer.fifo },
      timeout: seconds(consumer.timeout),
      batchSize: consumer.batchSize,
      batchWindow: consumer.batchWindow === undefined ? undefined : seconds(consumer.batchWindow),
      poll: seconds(options.poll),
      logger: { debug: () => {}, info: log('Info'), warn: log('Warning'), error: log('Error') },
    });
    const tell = (event: string, fields: object, words: string) =>
      output.say(options.json === true ? JSON.stringify({ event, ...fields }) : words);
    const look = (): Progress => progressOf(worker.stats(), output.deadLetters());
    tell(
      'started',
      { subscriber, stack: deployed.name, queueUrl, concurrency },
      [
        `Working for "${subscriber}" of stack ${deployed.name} ${place}, up to ${concurrency} ${concurrency === 1 ? 'batch' : 'batches'} at once.`,
        `Queue: ${queueUrl}`,
        'Ctrl-C stops it when what runs is done, a second Ctrl-C at once.',
      ].join('\n'),
    );
    if (rivals !== undefined) tell('warning', { message: rivals }, `Warning: ${rivals}`);
    const unwatch = watch(systemClock, look, (now) => tell('progress', now, inWords(now)));
    const stopWorker = () => {
      tell('stopping', look(), `Stopping: ${look().running} running, at most ${options.grace} s.`);
      void worker.stop({ grace: seconds(options.grace) });
    };
    if (stop.aborted) stopWorker();
    else stop.addEventListener('abort', stopWorker, { once: true });
    try {
      await worker.ended;
    } catch (error) {
      if (!(error instanceof WorkerError)) throw error;
      throw new WorkFault('failure', error.message, { cause: error });
    } finally {
      stop.removeEventListener('abort', stopWorker);
      unwatch();
    }
    tell('stopped', look(), `Stopped: ${inWords(look())}.`);
  } finally {
    output.restore();
    process.off('exit', synthesis.remove);
    synthesis.remove();
  }
}

function queueOf(consumer: Consumer, deployed: DeployedStack, subscriber: string, place: string): string {
  const url = deployed.outputs.get(consumer.output) ?? deployed.resources.get(consumer.queue)?.physicalId;
  if (url === undefined)
    throw new WorkFault(
      'failure',
      `the stack "${deployed.name}" ${place} was deployed without the queue of "${subscriber}". Deploy the app as it is now.`,
    );
  return url;
}

/** Loads the bundle: from here on the variables are as they are. */
async function load(consumer: Consumer, subscriber: string): Promise<ConsumerFunction> {
  let module: Readonly<Record<string, unknown>>;
  try {
    module = (await import(pathToFileURL(consumer.file).href)) as Readonly<Record<string, unknown>>;
  } catch (error) {
    throw new WorkFault('failure', `the handler of "${subscriber}" cannot be loaded: ${said(error)}`, {
      cause: error,
    });
  }
  const handler = module[consumer.exportName];
  if (typeof handler !== 'function')
    throw new WorkFault(
      'failure',
      `the handler of "${subscriber}" exports no function "${consumer.exportName}".`,
    );
  return handler as ConsumerFunction;
}

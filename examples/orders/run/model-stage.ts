import { fileURLToPath } from 'node:url';
import { type LocalStack, pageRoutes, startLocal, workerExecutor } from 'sluice/local';
import { createLoss } from './inject.ts';
import { findParts, output } from './places.ts';
import type { Stage, Theatre } from './stage.ts';
import { warm } from './warm.ts';

/**
 * The stack on the model of AWS in this process, its functions in threads.
 *
 * @param port - of the endpoint and the page on 127.0.0.1; 0 for any free one
 */
export const onModel = (port: number): Theatre => ({
  faults: (plan) => plan,
  async open({ world, plan, random, monitor, counters, say, signal }) {
    const loss = createLoss();
    const local = await startLocal({
      port,
      directory: fileURLToPath(new URL('../../..', import.meta.url)),
      stacks: ['Orders'],
      parameters: world.parameters,
      random,
      sqs: { duplicateRate: plan.duplicateRate },
      eventSourceFaults: loss.faults,
      routes: () => pageRoutes(monitor),
      // The runtime's metrics pass by here on their way to CloudWatch.
      executor: (log) =>
        workerExecutor({
          log(functionName, requestId, line) {
            counters.read(line);
            log(functionName, requestId, line);
          },
        }),
      progress: (step) => {
        say(step);
        monitor.enter('deploying', step);
      },
      signal,
    });
    try {
      return stageOf(local, loss.lose);
    } catch (error) {
      await local.stop();
      throw error;
    }
  },
});

function stageOf(
  local: LocalStack,
  lose: (eventSourceId: string, signal: AbortSignal) => Promise<boolean>,
): Stage {
  const { sqs, dynamodb, cloudwatch, lambda } = local.aws;
  const parts = findParts(local);
  const partOf = (subscriber: string) => {
    const part = parts.find(({ name }) => name === subscriber);
    if (part === undefined) throw new Error(`${subscriber} is no subscriber of the stack.`);
    return part;
  };
  const queues = () => parts.map(({ queueArn }) => sqs.queue(queueArn));
  return {
    url: local.url,
    region: local.aws.context.region,
    places: parts,
    output: (name) => output(local.outputs, name),
    items: async (table) => dynamodb.items(table),
    sqs: async (action, input) => local.aws.call('sqs', action, input),
    tellsAge: true,
    // What it holds is at hand at any moment.
    look: async () => {},
    queue(subscriber) {
      const queue = sqs.queue(partOf(subscriber).queueArn);
      return queue && { ...queue, waiting: queue.visible + queue.delayed };
    },
    received: () => queues().reduce((sum, queue) => sum + (queue?.received ?? 0), 0),
    duplicated: () => queues().reduce((sum, queue) => sum + (queue?.totals.duplicated ?? 0), 0),
    alarms: () => cloudwatch.alarms(),
    onAlarmChange: (listener) => {
      cloudwatch.onAlarmChange(listener);
    },
    warm: () => warm(local, parts),
    kill: (subscriber) => lambda.kill(partOf(subscriber).functionName),
    lose: (subscriber, signal) => lose(partOf(subscriber).eventSourceId, signal),
    settle: async () => {},
    close: () => local.stop(),
  };
}

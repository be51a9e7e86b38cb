import { existsSync, readFileSync } from 'node:fs';
import {
  GetFunctionConfigurationCommand,
  LambdaClient,
  paginateListEventSourceMappings,
} from '@aws-sdk/client-lambda';
import type { CounterBook, Theatre } from '../../examples/orders/run/index.ts';
import type { RunningServer } from '../servers/index.ts';
import { signalTo } from '../servers/processes.ts';
import { type CdkPlace, cdk, credentials } from './cdk.ts';
import { publishedTwice } from './faults.ts';
import { openRemote } from './remote.ts';

/** It refuses alarms with metric math, and with them the whole stack. */
const miniStackContext = ['-c', 'sluice:stage=dev', '-c', 'sluice:alarms=plain'] as const;

/**
 * MiniStack, which runs the functions itself. Its event sources cannot be made to lose an acknowledgement, and its queues not to
 * deliver twice: events are published twice instead. Workers can be killed where processes show their environment (Linux).
 */
export const onMiniStack = (server: RunningServer, place: CdkPlace): Theatre => ({
  patience: 240_000,
  faultPatience: 120_000,
  quiet: 5_000,
  faults(plan, orders, random) {
    const { lostAcknowledgement: _, ...rest } = plan;
    return {
      ...rest,
      kills: existsSync('/proc/self/environ') ? plan.kills : [],
      duplicateRate: 0,
      ...(plan.duplicateRate > 0 && { publishedTwice: publishedTwice(orders, random) }),
    };
  },
  async open({ world, counters, say, fail }) {
    const parameters = Object.entries(world.parameters).flatMap(([name, value]) => [
      '--parameters',
      `Orders:${name}=${value}`,
    ]);
    say(`cdk bootstrap: ${(await cdk(['bootstrap'], place)).toFixed(1)} s`);
    const deploy = ['deploy', 'Orders', '--require-approval', 'never', ...miniStackContext, ...parameters];
    say(`cdk deploy: ${(await cdk(deploy, place)).toFixed(1)} s`);
    const remote = await openRemote(server.url, 'Orders', fail);
    const functions = await functionsOf(server.url);
    const functionOf = (subscriber: string) => {
      const url = remote.places.find(({ name }) => name === subscriber)?.queueUrl ?? '';
      const name = functions.get(url.slice(url.lastIndexOf('/') + 1));
      if (name === undefined) throw new Error(`No function is fed from the queue of ${subscriber}.`);
      return name;
    };
    return {
      ...remote,
      // Its event sources tell nobody; the runs of handlers are in the functions' metrics.
      received: () => undefined,
      warm: async () => {},
      async kill(subscriber) {
        await remote.look();
        if ((remote.queue(subscriber)?.inFlight ?? 0) === 0) return false;
        const victim = server.pids().find((pid) => runs(pid, functionOf(subscriber).functionName));
        if (victim === undefined) return false;
        signalTo(victim, 'SIGKILL');
        return true;
      },
      lose: async () => false,
      async settle() {
        for (const { name } of remote.places) await readLog(server.url, functionOf(name).logGroup, counters);
      },
      async close() {
        remote.close();
      },
    };
  },
});

interface Fed {
  readonly functionName: string;
  readonly logGroup: string;
}

/** The function that each queue feeds, by the queue's name. */
async function functionsOf(endpoint: string): Promise<ReadonlyMap<string, Fed>> {
  const client = new LambdaClient({
    endpoint,
    region: credentials.AWS_REGION,
    credentials: {
      accessKeyId: credentials.AWS_ACCESS_KEY_ID,
      secretAccessKey: credentials.AWS_SECRET_ACCESS_KEY,
    },
  });
  const functions = new Map<string, Fed>();
  for await (const { EventSourceMappings = [] } of paginateListEventSourceMappings({ client }, {}))
    for (const { EventSourceArn = '', FunctionArn = '' } of EventSourceMappings) {
      const functionName = FunctionArn.split(':')[6] ?? '';
      const { LoggingConfig } = await client.send(
        new GetFunctionConfigurationCommand({ FunctionName: functionName }),
      );
      const logGroup = LoggingConfig?.LogGroup ?? `/aws/lambda/${functionName}`;
      functions.set(EventSourceArn.split(':')[5] ?? '', { functionName, logGroup });
    }
  client.destroy();
  return functions;
}

/** Whether a process is an environment of the function. */
function runs(pid: number, functionName: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8')
      .split('\0')
      .includes(`AWS_LAMBDA_FUNCTION_NAME=${functionName}`);
  } catch (error) {
    // It has ended since it was listed.
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}

interface LogPage {
  readonly events?: readonly { readonly message?: string }[];
  readonly nextToken?: string;
}

/** Reads what a function logged, and with it the runtime's metrics. CloudWatch Logs has no client here: its protocol is plain. */
async function readLog(endpoint: string, logGroupName: string, counters: CounterBook): Promise<void> {
  for (let nextToken: string | undefined; ; ) {
    const answer = await fetch(endpoint, {
      method: 'POST',
      headers: {
        'content-type': 'application/x-amz-json-1.1',
        'x-amz-target': 'Logs_20140328.FilterLogEvents',
        authorization: `AWS4-HMAC-SHA256 Credential=test/20260101/${credentials.AWS_REGION}/logs/aws4_request, SignedHeaders=host, Signature=0`,
      },
      body: JSON.stringify({ logGroupName, limit: 10_000, nextToken }),
    });
    if (!answer.ok) throw new Error(`The log ${logGroupName} cannot be read: ${await answer.text()}`);
    const page = (await answer.json()) as LogPage;
    for (const { message = '' } of page.events ?? [])
      for (const line of message.split('\n')) counters.read(line.slice(Math.max(0, line.indexOf('{"'))));
    if (page.nextToken === undefined) return;
    nextToken = page.nextToken;
  }
}

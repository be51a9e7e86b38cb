import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { App } from 'aws-cdk-lib';
import { addToRevenue } from '../../../examples/orders/business/analytics.ts';
import { confirm } from '../../../examples/orders/business/email.ts';
import { assess } from '../../../examples/orders/business/fraud.ts';
import { takeFromStock } from '../../../examples/orders/business/inventory.ts';
import type { Outside } from '../../../examples/orders/business/outside.ts';
import { charge } from '../../../examples/orders/business/payments.ts';
import { OrdersStack, type OrdersStackProps } from '../../../examples/orders/stack.ts';
import { shelfKey, shelves } from '../../../examples/orders/tables.ts';
import { orders } from '../../../examples/orders/topology.ts';
import {
  createFraudService,
  createMailServer,
  createProvider,
} from '../../../examples/orders/world/index.ts';
import { consume, publisher } from '../../../lambda/runtime/index.ts';
import { milliseconds, seededRandom } from '../../../lib/base/index.ts';
import { environment as variables } from '../../../lib/topology/index.ts';
import { createAws } from '../../../local/aws.ts';
import { modelClient } from '../../../local/client.ts';
import { createVirtualClock } from '../../../local/clock.ts';
import { type CloudAssembly, loadAssembly, type Template } from '../../../local/cloudformation/index.ts';
import {
  type InProcessEnvironment,
  type InProcessHandler,
  inProcessExecutor,
} from '../../../local/lambda/index.ts';
import type { ServiceId } from '../../../local/service.ts';

/** The orders stack as it is synthesized, without bundles: its functions run in this process. */
export function synthesizeOrders(props: OrdersStackProps = {}): {
  readonly assembly: CloudAssembly;
  remove(): void;
} {
  const outdir = mkdtempSync(join(tmpdir(), 'sluice-iam-'));
  const app = new App({ outdir, context: { 'aws:cdk:bundling-stacks': [] } });
  new OrdersStack(app, 'Orders', { ...props, env: { account: '000000000000', region: 'us-east-1' } });
  app.synth();
  return { assembly: loadAssembly(outdir), remove: () => rmSync(outdir, { recursive: true, force: true }) };
}

/** How a run under the template's policies went. */
export interface Run {
  /** What deploying said when it failed. */
  readonly failure: string | undefined;
  /** What was refused, in AWS's words. */
  readonly denied: readonly string[];
  /** What the functions said of errors: an invocation's lines, each its own. */
  readonly errors: readonly string[];
  /** Messages that are left in queues that are no dead-letter queues of subscribers. */
  readonly left: number;
  readonly effects: { readonly charges: number; readonly mails: number; readonly assessed: number };
}

const names = ['payments', 'inventory', 'email', 'analytics', 'fraud'] as const;

/** Deploys a template, and sends a few orders through it: one that is tried again, and a message that is no event. */
export async function play(assembly: CloudAssembly, change: (template: Template) => Template): Promise<Run> {
  const clock = createVirtualClock();
  const random = seededRandom(3);
  const denied = new Set<string>();
  const errors: string[] = [];
  const provider = createProvider({
    ratePerSecond: 1_000,
    declineFromCents: 50_000,
    brokenOrders: [],
    now: () => clock.now(),
  });
  const mail = createMailServer(() => clock.now());
  const fraud = createFraudService(() => clock.now());
  let refusals = 3;
  const outside: Outside = {
    now: () => clock.now(),
    random: () => random.next(),
    pause: (length) => new Promise((resolve) => void clock.after(milliseconds(length), resolve)),
    async send(_method, url, body, { headers = {} }) {
      // Longer than a heartbeat, and sometimes in vain.
      await outside.pause(2_500, new AbortController().signal);
      if (refusals-- > 0) return { status: 503, headers: {}, body: '{}' };
      const reply = url.includes('payments')
        ? provider.charge(headers['idempotency-key'], body)
        : url.includes('mail')
          ? mail.accept(body)
          : fraud.assess(Number(url.split('/').at(-1)), body);
      return { status: reply.status, headers: reply.headers ?? {}, body: JSON.stringify(reply.body) };
    },
  };
  const handlerOf = (environment: InProcessEnvironment): InProcessHandler => {
    const { configuration, principal } = environment;
    const client = <Id extends ServiceId>(id: Id) => {
      const plain = modelClient(aws, id, { principal, attempts: 3 });
      const send = plain.send as (
        ...parts: unknown[]
      ) => Promise<{ Responses?: { Error?: { Message?: string; Code?: string } }[] }>;
      return {
        ...plain,
        async send(...parts: unknown[]) {
          try {
            const output = await send(...parts);
            const { Responses } = output;
            for (const { Error: error } of Array.isArray(Responses) ? Responses : [])
              if (error?.Code === 'AccessDenied') denied.add(error.Message ?? '');
            return output;
          } catch (error) {
            if (error instanceof Error && /is not authorized to perform/.test(error.message))
              denied.add(error.message);
            throw error;
          }
        },
      } as unknown as typeof plain;
    };
    const { variables: own } = configuration;
    const options = {
      sqs: client('sqs'),
      dynamodb: client('dynamodb'),
      clock,
      random,
      environment: { ...own, AWS_LAMBDA_FUNCTION_NAME: configuration.functionName },
      logger: {
        debug() {},
        info() {},
        warn() {},
        error: (message: string, fields?: object) =>
          void errors.push(`${message} ${JSON.stringify(fields ?? {})}`),
      },
      metrics: { record() {} },
    };
    const of = {
      payments: () => consume(orders, 'payments', charge('https://payments', outside), options),
      inventory: () => consume(orders, 'inventory', takeFromStock(own.STOCK_TABLE ?? '', outside), options),
      email: () => consume(orders, 'email', confirm('https://mail', outside), options),
      analytics: () => consume(orders, 'analytics', addToRevenue(own.REVENUE_TABLE ?? '', outside), options),
      fraud: () => consume(orders, 'fraud', assess('https://fraud', outside), options),
    };
    const name = names.find((each) => configuration.functionName.toLowerCase().includes(each)) ?? 'payments';
    return of[name]() as unknown as InProcessHandler;
  };
  const made = new Map<number, InProcessHandler>();
  const aws = createAws({
    clock,
    random,
    executor: () =>
      inProcessExecutor({
        clock,
        handlers: () => (event, context, environment) => {
          const handler = made.get(environment.number) ?? handlerOf(environment);
          made.set(environment.number, handler);
          return handler(event, context, environment);
        },
      }),
  });
  const changed: CloudAssembly = {
    ...assembly,
    stacks: assembly.stacks.map((stack) => ({ ...stack, template: change(structuredClone(stack.template)) })),
  };
  try {
    const { outputs } = await aws.cloudformation.deploy(changed, 'Orders');
    const admin = {
      sns: modelClient(aws, 'sns'),
      sqs: modelClient(aws, 'sqs'),
      dynamodb: modelClient(aws, 'dynamodb'),
    };
    for (let shelf = 0; shelf < shelves; shelf++)
      await admin.dynamodb.send(
        new PutItemCommand({
          TableName: outputs.StockTable,
          Item: { pk: { S: shelfKey(shelf) }, available: { N: '100' } },
        }),
      );
    const publish = publisher(orders, {
      sns: admin.sns,
      clock,
      random,
      environment: { [variables.topicArn('orders')]: outputs.TopicArnOrders ?? '' },
    });
    for (let orderId = 1; orderId <= 4; orderId++)
      await publish.publish('order.placed', {
        orderId,
        customerId: 1 + (orderId % 2),
        date: '1997-01-01',
        quantity: 1,
        amountCents: 1_000,
      });
    for (const name of names)
      await admin.sqs.send(
        new SendMessageCommand({
          QueueUrl: outputs[`QueueUrl${name[0]?.toUpperCase()}${name.slice(1)}`],
          MessageBody: 'no event',
          ...(orders.subscribers[name].fifo ? { MessageGroupId: 'g', MessageDeduplicationId: 'd' } : {}),
        }),
      );
    await clock.advance(milliseconds(3 * 60_000));
    const deadLetters = names.map(
      (name) => outputs[`DeadLetterQueueUrl${name[0]?.toUpperCase()}${name.slice(1)}`],
    );
    const left = aws.sqs
      .queues()
      .filter(({ url }) => !deadLetters.includes(url))
      .reduce((sum, { visible, inFlight, delayed }) => sum + visible + inFlight + delayed, 0);
    return {
      failure: undefined,
      denied: [...denied],
      errors,
      left,
      effects: { charges: provider.ledger.length, mails: mail.outbox.length, assessed: fraud.log.length },
    };
  } catch (error) {
    return {
      failure: error instanceof Error ? error.message : String(error),
      denied: [...denied],
      errors,
      left: Number.NaN,
      effects: { charges: 0, mails: 0, assessed: 0 },
    };
  } finally {
    aws.stop();
  }
}

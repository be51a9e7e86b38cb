import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Message } from '@aws-sdk/client-sqs';
import { type Clock, milliseconds, seededRandom } from '../../../lib/base/index.ts';
import type { Call, MetricSink, ModelContext, Operation, Service } from '../../../local/service.ts';

/** A context of the model; what is published as metrics is kept in `published`. */
export function modelContext(clock: Clock) {
  const published: { name: string; value: number }[] = [];
  const metrics: MetricSink = {
    count: (_namespace, name, _dimensions, value) => published.push({ name, value }),
    gauge: () => () => undefined,
  };
  const context: ModelContext = {
    clock,
    random: seededRandom(1),
    account: '000000000000',
    region: 'us-east-1',
    endpoint: 'http://127.0.0.1:4566',
    metrics,
  };
  const total = (name: string) =>
    published.filter((point) => point.name === name).reduce((sum, point) => sum + point.value, 0);
  return { context, total };
}

/** Calls an action of a service by its name, typed by the caller. */
export async function call<Output = Record<string, unknown>>(
  service: Pick<Service, 'operations'>,
  action: string,
  input: object,
): Promise<Output> {
  return (await service.operations[action]!(input, {})) as Output;
}

interface Kept {
  readonly message: Message;
  readonly group: string | undefined;
  visibleAt: number;
  receives: number;
}

/** As much of SQS as an event source needs: visibility, group locks, long polls. */
export function fakeQueue(clock: Clock, options: { visibility?: number; fifo?: boolean } = {}) {
  const visibility = (options.visibility ?? 60) * 1_000;
  const kept: Kept[] = [];
  const deleted: string[] = [];
  let waiting: (() => void)[] = [];
  let receives = 0;

  const take = (most: number): Message[] => {
    const locked = new Set<string | undefined>();
    const taken: Message[] = [];
    for (const entry of kept) {
      if (taken.length >= most) break;
      if (entry.visibleAt > clock.now()) {
        if (options.fifo) locked.add(entry.group);
        continue;
      }
      if (options.fifo && locked.has(entry.group)) continue;
      entry.visibleAt = clock.now() + visibility;
      entry.receives++;
      taken.push({
        ...entry.message,
        Attributes: {
          ApproximateReceiveCount: `${entry.receives}`,
          SentTimestamp: '1767225600000',
          ...(entry.group !== undefined && { MessageGroupId: entry.group, SequenceNumber: '1' }),
        },
      });
    }
    return taken;
  };
  const wake = () => {
    const ready = waiting;
    waiting = [];
    for (const resume of ready) resume();
  };

  const ReceiveMessage = async (
    input: { MaxNumberOfMessages: number; WaitTimeSeconds: number },
    { signal }: Call,
  ) => {
    receives++;
    const end = clock.now() + input.WaitTimeSeconds * 1_000;
    for (;;) {
      if (signal?.aborted) return {};
      const taken = take(input.MaxNumberOfMessages);
      if (taken.length > 0 || clock.now() >= end) return { Messages: taken };
      const nextVisible = Math.min(
        end,
        ...kept.map((entry) => entry.visibleAt).filter((at) => at > clock.now()),
      );
      await new Promise<void>((resolve) => {
        const timer = clock.after(milliseconds(nextVisible - clock.now()), resolve);
        waiting.push(() => {
          timer.cancel();
          resolve();
        });
        signal?.addEventListener('abort', () => {
          timer.cancel();
          resolve();
        });
      });
    }
  };
  const DeleteMessageBatch = (input: { Entries: { Id: string; ReceiptHandle: string }[] }) => {
    for (const { ReceiptHandle } of input.Entries) {
      const position = kept.findIndex((entry) => entry.message.ReceiptHandle === ReceiptHandle);
      if (position >= 0) deleted.push(kept.splice(position, 1)[0]!.message.MessageId!);
    }
    if (options.fifo) wake();
    return { Successful: input.Entries.map(({ Id }) => ({ Id })), Failed: [] };
  };
  const GetQueueAttributes = () => ({ Attributes: { VisibilityTimeout: `${visibility / 1_000}` } });

  const operations = { ReceiveMessage, DeleteMessageBatch, GetQueueAttributes } as Readonly<
    Record<string, Operation<never, object>>
  > as Service['operations'];
  return {
    operations,
    deleted,
    receives: () => receives,
    left: () => kept.map((entry) => entry.message.MessageId),
    send(id: string, body = id, group?: string, extra: Message = {}) {
      kept.push({
        message: { MessageId: id, ReceiptHandle: `handle-${id}`, Body: body, MD5OfBody: 'md5', ...extra },
        group,
        visibleAt: 0,
        receives: 0,
      });
      wake();
    },
  };
}

/** A folder with the given files; `remove` when done. */
export function codeFolder(files: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-test-'));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

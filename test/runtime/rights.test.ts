import { describe, expect, it } from 'vitest';
import { createWorld, message } from './support/world.ts';

const sentence = (action: string, resource: string) =>
  `User: arn:aws:sts::123456789012:assumed-role/Orders-PaymentsSubscriberConsumerRole25A82F96-${'x'.repeat(12)}/Orders-PaymentsSubscriberConsumerFunction-${'y'.repeat(12)} ` +
  `is not authorized to perform: ${action} on resource: ${resource} because no identity-based policy allows the ${action} action`;
const refusal = (name: string, text: string) => Object.assign(new Error(text), { name, $fault: 'client' });
const batch = Array.from({ length: 10 }, (_, index) => message(String(index)));

describe('a function whose role lacks a right', () => {
  it('says which, once, in the words of AWS, and handles nothing', async () => {
    const text = sentence('dynamodb:PartiQLInsert', 'arn:aws:dynamodb:us-east-1:123456789012:table/records');
    const world = createWorld();
    const seen: string[] = [];
    const worker = world.worker((event) => void seen.push(event.data.orderId), {
      dynamodb: {
        send: async (command: object) => ({
          Responses: (command as { input: { Statements: object[] } }).input.Statements.map(() => ({
            Error: { Code: 'AccessDenied', Message: text },
          })),
        }),
      },
    });
    expect(await worker.run(batch)).toHaveLength(10);
    expect(seen).toEqual([]);
    const said = world.log.filter((line) => line.startsWith('error'));
    expect(said).toEqual([expect.stringContaining(`"AccessDenied: ${text}"`)]);
    expect(world.log.filter((line) => line.startsWith('warn'))[0]).toContain('dynamodb:PartiQLInsert');
  });

  it('says so of reads, letters and visibilities too', async () => {
    const read = sentence('dynamodb:BatchGetItem', 'arn:aws:dynamodb:us-east-1:123456789012:table/records');
    const change = sentence('sqs:changemessagevisibility', 'arn:aws:sqs:us-east-1:123456789012:queue');
    const world = createWorld();
    const worker = world.worker(() => undefined, {
      dynamodb: { send: () => Promise.reject(refusal('AccessDeniedException', read)) },
      sqs: { send: () => Promise.reject(refusal('AccessDenied', change)) },
    });
    expect(await worker.run([message('1', { receives: 2 })])).toHaveLength(1);
    const said = world.log.filter((line) => line.startsWith('error'));
    expect(said).toEqual([expect.stringContaining(read), expect.stringContaining(change)]);
    expect(world.log.join('\n')).toContain('refused a read');
    expect(world.log.join('\n')).not.toContain('did not answer');
  });

  it('keeps silent about what other refusals quote', async () => {
    const world = createWorld();
    const worker = world.worker(() => undefined, {
      dynamodb: {
        send: async () => ({
          Responses: [{ Error: { Code: 'ValidationError', Message: 'quotes a secret' } }],
        }),
      },
    });
    await worker.run([message('1')]);
    expect(world.log.join('\n')).toContain('ValidationError');
    expect(world.log.join('\n')).not.toContain('secret');
  });
});

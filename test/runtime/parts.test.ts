import { build } from 'esbuild';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { backoff } from '../../lambda/runtime/backoff.ts';
import { payloadHash, recordKey } from '../../lambda/runtime/identity.ts';
import { noMeasures } from '../../lambda/runtime/metrics.ts';
import { powertoolsLogger, powertoolsMetrics } from '../../lambda/runtime/powertools.ts';
import { seededRandom } from '../../lib/base/index.ts';
import { milliseconds, seconds } from '../../lib/topology/index.ts';

describe('the backoff', () => {
  it('is whole seconds from 0 to base x 2^(attempt-1), never above the cap nor above what SQS takes', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 43_200, noNaN: true }),
        fc.double({ min: 1, max: 43_200, noNaN: true }),
        fc.integer({ min: 1, max: 2_000 }),
        fc.integer(),
        (base, cap, attempt, seed) => {
          const wait = backoff({ base: seconds(base), cap: seconds(cap) }, attempt, seededRandom(seed));
          expect(Number.isInteger(wait)).toBe(true);
          expect(wait).toBeGreaterThanOrEqual(0);
          expect(wait).toBeLessThanOrEqual(Math.ceil(Math.min(cap, base * 2 ** Math.min(attempt - 1, 100))));
        },
      ),
    );
  });

  it('spreads: a storm of failures does not come back as one', () => {
    const random = seededRandom(1);
    const waits = Array.from({ length: 1_000 }, () =>
      backoff({ base: seconds(60), cap: seconds(60) }, 1, random),
    );
    for (let from = 0; from < 60; from += 10)
      expect(waits.filter((wait) => wait > from && wait <= from + 10).length).toBeGreaterThan(100);
  });
});

describe('the key of a record', () => {
  it('is one for one event and subscriber, short enough for DynamoDB, whatever the ids', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 2_000 });
    fc.assert(
      fc.property(text, text, text, text, (source, id, otherSource, otherId) => {
        const key = recordKey('payments', source, id);
        expect(Buffer.byteLength(key)).toBeLessThanOrEqual(2_048);
        expect(recordKey('payments', source, id)).toBe(key);
        const same = source === otherSource && id === otherId;
        expect(recordKey('payments', otherSource, otherId) === key).toBe(same);
        expect(recordKey('email', source, id)).not.toBe(key);
      }),
    );
  });

  it('keeps source and id apart', () => {
    expect(recordKey('s', 'a#b', 'c')).not.toBe(recordKey('s', 'a', 'b#c'));
    expect(recordKey('s', 'a%23b', 'c')).not.toBe(recordKey('s', 'a#b', 'c'));
  });
});

describe('the hash of a payload', () => {
  it('differs exactly where the data differ, the order of members apart', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
        const same = normal(one) === normal(other);
        expect(payloadHash(one) === payloadHash(other)).toBe(same);
        expect(payloadHash(reversed(one))).toBe(payloadHash(one));
      }),
    );
  });
  const reversed = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(reversed)
      : typeof value === 'object' && value !== null
        ? Object.fromEntries(
            Object.entries(value)
              .reverse()
              .map(([name, member]) => [name, reversed(member)]),
          )
        : value;
  const normal = (value: unknown): string =>
    JSON.stringify(value, (_, member: unknown) =>
      typeof member === 'object' && member !== null && !Array.isArray(member)
        ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
        : member,
    );
});

describe('metrics and logs', () => {
  const printed = (run: () => void): Record<string, unknown>[] => {
    // Powertools prints by the console in development, and then no metrics unless told to.
    vi.stubEnv('POWERTOOLS_DEV', 'true');
    vi.stubEnv('POWERTOOLS_METRICS_DISABLED', 'false');
    const lines: string[] = [];
    const spies = (['log', 'info', 'warn', 'error'] as const).map((level) =>
      vi.spyOn(console, level).mockImplementation((line: string) => void lines.push(line)),
    );
    run();
    for (const spy of spies) spy.mockRestore();
    vi.unstubAllEnvs();
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  };

  it('an invocation prints one line of metrics, however many messages it had, under the dimension `subscriber`', () => {
    const lines = printed(() => {
      const measures = noMeasures();
      measures.processed = 10;
      for (let time = 1; time <= 10; time++) measures.handlerTimes.push(milliseconds(time));
      powertoolsMetrics().record('payments', measures);
    });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({
      _aws: { CloudWatchMetrics: [{ Namespace: 'sluice', Dimensions: [['subscriber']] }] },
      subscriber: 'payments',
      processed: 10,
      handlerTime: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
    });
    expect(lines[0]).not.toHaveProperty('failed');
    expect(lines[0]).not.toHaveProperty('service');
  });

  it('dead letters have a line for each reason; more than a hundred times are not lost; nothing prints nothing', () => {
    const lines = printed(() => {
      const metrics = powertoolsMetrics();
      const measures = noMeasures();
      measures.deadLettered.set('permanent', 2).set('crash', 1);
      for (let time = 0; time < 250; time++) measures.handlerTimes.push(milliseconds(time));
      metrics.record('email', measures);
      metrics.record('email', noMeasures());
    });
    const times = lines.flatMap((line) => line.handlerTime ?? []);
    expect(times).toHaveLength(250);
    expect(lines.every((line) => line.subscriber === 'email')).toBe(true);
    expect(lines.filter((line) => 'deadLettered' in line)).toMatchObject([
      { reason: 'permanent', deadLettered: 2 },
      { reason: 'crash', deadLettered: 1 },
    ]);
  });

  it('a log line is JSON with its fields, the service and the subscriber', () => {
    const lines = printed(() => powertoolsLogger('shop', 'email').warn('A try failed', { attempt: 2 }));
    expect(lines[0]).toMatchObject({
      level: 'WARN',
      message: 'A try failed',
      service: 'shop',
      subscriber: 'email',
      attempt: 2,
    });
  });
});

describe('what a handler’s bundle carries', () => {
  const bundle = async (code: string) => {
    const result = await build({
      stdin: { contents: code, resolveDir: import.meta.dirname, loader: 'ts' },
      alias: { 'sluice/lambda': `${import.meta.dirname}/../../lambda/runtime/index.ts` },
      bundle: true,
      minify: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      external: ['@aws-sdk/*', '@smithy/*'],
      write: false,
      metafile: true,
    });
    const inputs = Object.values(result.metafile.outputs).flatMap((output) => Object.entries(output.inputs));
    const imports = Object.values(result.metafile.outputs).flatMap((output) =>
      output.imports.map((item) => item.path),
    );
    return {
      bytes: result.outputFiles[0]!.contents.byteLength,
      modules: inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => path),
      imports,
    };
  };

  it('a consumer carries no SNS client, a publisher no SQS nor DynamoDB client', async () => {
    const consuming = await bundle("export { consume } from 'sluice/lambda';");
    expect(consuming.imports).not.toContain('@aws-sdk/client-sns');
    expect(consuming.imports).toContain('@aws-sdk/client-sqs');
    const publishing = await bundle("export { publisher } from 'sluice/lambda';");
    const clients = publishing.imports.filter((path) => path.startsWith('@aws-sdk/'));
    expect([...new Set(clients)]).toEqual(['@aws-sdk/client-sns']);
    expect(publishing.modules.join()).not.toContain('powertools');
  });

  it('neither CDK nor a schema library, and logger and metrics only where the defaults are used', async () => {
    const all = await bundle("export { consume, publisher } from 'sluice/lambda';");
    expect(all.modules.join()).not.toMatch(/aws-cdk|constructs|zod|valibot|arktype/);
    // Minified, SDK external; measured 72 KB, of which Powertools is a half.
    expect(all.bytes).toBeLessThanOrEqual(88 * 1024);
    const bare = await bundle("export { consumer, publisher } from 'sluice/lambda';");
    expect(bare.modules.join()).not.toContain('powertools');
    expect(bare.bytes).toBeLessThanOrEqual(56 * 1024);
  });
});

import { build } from 'esbuild';
import fc from 'fast-check';
import type { Logger } from 'sluice/lambda';
import { describe, expect, it, vi } from 'vitest';
import { backoff } from '../../lambda/runtime/backoff.ts';
import { embeddedMetrics } from '../../lambda/runtime/emf.ts';
import { payloadHash, recordKey } from '../../lambda/runtime/identity.ts';
import { jsonLogger } from '../../lambda/runtime/json-logger.ts';
import { type Measures, noMeasures } from '../../lambda/runtime/metrics.ts';
import { seededRandom } from '../../lib/base/index.ts';
import { milliseconds, seconds } from '../../lib/topology/index.ts';
import { createVirtualClock } from '../../local/clock.ts';

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
  const clock = createVirtualClock();
  const measured = (...recorded: Measures[]): Record<string, unknown>[] => {
    const lines: string[] = [];
    const metrics = embeddedMetrics(clock, (line) => lines.push(line));
    for (const measures of recorded) metrics.record('payments', measures);
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  };

  it('an invocation prints one line of metrics, however many messages it had, under the dimension `subscriber`', () => {
    const measures = noMeasures();
    measures.processed = 10;
    for (let time = 1; time <= 10; time++) measures.handlerTimes.push(milliseconds(time));
    expect(measured(measures)).toEqual([
      {
        _aws: {
          Timestamp: clock.now(),
          CloudWatchMetrics: [
            {
              Namespace: 'sluice',
              Dimensions: [['subscriber']],
              Metrics: [
                { Name: 'processed', Unit: 'Count' },
                { Name: 'handlerTime', Unit: 'Milliseconds' },
              ],
            },
          ],
        },
        subscriber: 'payments',
        processed: 10,
        handlerTime: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
      },
    ]);
  });

  it('dead letters have a line for each reason; more than a hundred times are not lost; nothing prints nothing', () => {
    const measures = noMeasures();
    measures.deadLettered.set('permanent', 2).set('crash', 1);
    for (let time = 0; time < 250; time++) measures.handlerTimes.push(milliseconds(time));
    const lines = measured(measures, noMeasures());
    const times = lines.flatMap((line) => (line.handlerTime as number[] | undefined) ?? []);
    expect(times).toEqual(measures.handlerTimes);
    // What CloudWatch takes of one metric in a line.
    for (const line of lines)
      expect((line.handlerTime as number[] | undefined)?.length ?? 0).toBeLessThanOrEqual(100);
    expect(lines.every((line) => line.subscriber === 'payments')).toBe(true);
    expect(lines.filter((line) => 'deadLettered' in line)).toMatchObject([
      { reason: 'permanent', deadLettered: 2 },
      { reason: 'crash', deadLettered: 1 },
    ]);
  });

  it('metrics are written past the console, as a line of their own', () => {
    const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    const measures = noMeasures();
    measures.duplicates = 1;
    embeddedMetrics(clock).record('email', measures);
    const written = write.mock.calls.map(([text]) => String(text));
    write.mockRestore();
    expect(written).toHaveLength(1);
    expect(written[0]).toMatch(/^\{.*"duplicates":1\}\n$/);
  });

  const logged = (environment: Record<string, string>, log: (logger: Logger) => void) => {
    const lines: string[] = [];
    const print = (line: string) => void lines.push(line);
    log(jsonLogger({ service: 'shop', subscriber: 'email', clock, environment, print }));
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  };

  it('a log line is JSON with its fields, the service, the subscriber and the trace', () => {
    const environment = { _X_AMZN_TRACE_ID: 'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=1;Sampled=1' };
    const lines = logged(environment, (logger) => logger.warn('A try failed', { attempt: 2 }));
    expect(lines).toEqual([
      {
        level: 'WARN',
        message: 'A try failed',
        timestamp: new Date(clock.now()).toISOString(),
        service: 'shop',
        subscriber: 'email',
        xray_trace_id: '1-5759e988-bd862e3fe1be46a994272793',
        attempt: 2,
      },
    ]);
  });

  it.each([
    [{}, 'INFO WARN ERROR'],
    [{ POWERTOOLS_LOG_LEVEL: 'debug' }, 'DEBUG INFO WARN ERROR'],
    [{ AWS_LAMBDA_LOG_LEVEL: 'ERROR', POWERTOOLS_LOG_LEVEL: 'DEBUG' }, 'ERROR'],
    [{ POWERTOOLS_LOG_LEVEL: 'SILENT' }, ''],
    [{ POWERTOOLS_LOG_LEVEL: 'misspelt' }, 'INFO WARN ERROR'],
  ])('with %j the levels that are written are: %s', (environment, written) => {
    const lines = logged(environment, (logger) => {
      for (const level of ['debug', 'info', 'warn', 'error'] as const) logger[level]('line');
    });
    expect(lines.map(({ level }) => level).join(' ')).toBe(written);
  });

  it('errors and bigints are told; fields that run in circles do not cost the line; none hides the message', () => {
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    const lines = logged({}, (logger) => {
      logger.error('failed', {
        error: new TypeError('no card', { cause: new Error('declined') }),
        cents: 12n,
      });
      logger.error('failed', { circle });
      logger.error('failed', { message: 'another', level: 'mild' });
    });
    expect(lines).toMatchObject([
      {
        message: 'failed',
        error: { name: 'TypeError', message: 'no card', cause: { name: 'Error', message: 'declined' } },
        cents: '12',
      },
      { message: 'failed', fields: expect.stringContaining('circular') },
      { message: 'failed', level: 'ERROR' },
    ]);
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
    // Minified, SDK external.
    expect(all.bytes).toBeLessThanOrEqual(72 * 1024);
    const bare = await bundle("export { consumer, publisher } from 'sluice/lambda';");
    expect(bare.modules.join()).not.toContain('powertools');
    expect(bare.bytes).toBeLessThanOrEqual(72 * 1024);
  });
});

import { existsSync, statSync } from 'node:fs';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { systemClock } from '../../../lib/base/index.ts';
import { createLambda, type LambdaModel, workerExecutor } from '../../../local/lambda/index.ts';
import { call, codeFolder, fakeQueue, modelContext } from './support.ts';

const open: { stop(): void }[] = [];
afterEach(() => {
  for (const entry of open.splice(0)) entry.stop();
});

interface Answer {
  readonly StatusCode: number;
  readonly FunctionError?: string;
  readonly Payload: Uint8Array;
}

/** A function in worker threads; `invoke` gives the response, or the error that Lambda reports. */
async function prepare(source: string, configuration: object = {}, file = 'index.mjs') {
  const lines: string[] = [];
  const { context } = modelContext(systemClock);
  const executor = workerExecutor({ log: (name, _requestId, line) => lines.push(`${name}: ${line}`) });
  const lambda = createLambda(context, { sqs: fakeQueue(systemClock), executor });
  const { folder, remove } = codeFolder({ [file]: source });
  open.push(lambda, { stop: remove });
  lambda.provideCode('assets', 'code.zip', folder);
  await call(lambda, 'CreateFunction', {
    FunctionName: 'worker',
    Role: 'arn:aws:iam::000000000000:role/worker',
    Handler: 'index.handler',
    Code: { S3Bucket: 'assets', S3Key: 'code.zip' },
    ...configuration,
  });
  const invoke = async (event: unknown = {}) => {
    const answer = await call<Answer>(lambda, 'Invoke', {
      FunctionName: 'worker',
      Payload: Buffer.from(JSON.stringify(event)),
    });
    return { error: answer.FunctionError, value: JSON.parse(Buffer.from(answer.Payload).toString()) };
  };
  return { lambda, invoke, lines, folder };
}

/** Resolves when an environment of the function is busy; the invocation itself wakes the loop. */
async function untilBusy(lambda: LambdaModel) {
  while (!lambda.environments().some(({ state }) => state === 'busy')) {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('A function runs in a worker thread as on Lambda', () => {
  it('sees its own variables and those of Lambda, and nothing of this process', async () => {
    const { invoke, folder } = await prepare('export const handler = async () => ({ ...process.env });', {
      Environment: { Variables: { TABLE: 'records' } },
      MemorySize: 256,
    });
    const { value } = await invoke();
    expect(value).toMatchObject({
      TABLE: 'records',
      AWS_LAMBDA_FUNCTION_NAME: 'worker',
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '256',
      AWS_ENDPOINT_URL: 'http://127.0.0.1:4566',
      AWS_ACCESS_KEY_ID: 'test',
      // Else the SDK would read those in the home folder of whoever runs the model.
      AWS_CONFIG_FILE: devNull,
      AWS_SHARED_CREDENTIALS_FILE: devNull,
      LAMBDA_TASK_ROOT: folder,
      _HANDLER: 'index.handler',
    });
    expect(value.PATH).toBeUndefined();
    expect(value.HOME).toBeUndefined();
  });

  it('keeps its state between invocations, and is frozen in between', async () => {
    const { invoke } = await prepare(`
      let runs = 0, ticks = 0;
      export const handler = async () => {
        if (++runs === 1) setInterval(() => ticks++, 1);
        return { runs, ticks };
      };`);
    await invoke();
    const block = new Int32Array(new SharedArrayBuffer(4));
    Atomics.wait(block, 0, 0, 40);
    const { value } = await invoke();
    expect(value.runs).toBe(2);
    expect(value.ticks).toBeLessThanOrEqual(1);
  });

  it('runs CommonJS, callbacks and the context object', async () => {
    const { invoke } = await prepare(
      `exports.handler = (event, context, callback) => {
        setImmediate(() => callback(null, [context.functionName, context.memoryLimitInMB,
          context.getRemainingTimeInMillis() > 2000, context.awsRequestId.length]));
      };`,
      {},
      'index.js',
    );
    expect((await invoke()).value).toEqual(['worker', '128', true, 36]);
  });

  it('hands over what the function writes, line by line', async () => {
    const { invoke, lines } = await prepare(`
      export const handler = async () => { console.log('one\\ntwo'); console.error('three'); process.stdout.write('four'); };`);
    await invoke();
    expect(lines).toEqual(['worker: one', 'worker: two', 'worker: three', 'worker: four']);
  });

  it('reports an error as Lambda does', async () => {
    const { invoke } = await prepare(
      'export const handler = async () => { throw new RangeError("too far"); };',
    );
    expect(await invoke()).toMatchObject({
      error: 'Unhandled',
      value: { errorType: 'RangeError', errorMessage: 'too far', trace: expect.any(Array) },
    });
  });

  it('reports a module that cannot be loaded, at each invocation', async () => {
    const { invoke } = await prepare('throw new TypeError("no table"); export const handler = 1;');
    for (let count = 0; count < 2; count++) {
      expect((await invoke()).value).toMatchObject({ errorType: 'TypeError', errorMessage: 'no table' });
    }
  });
});

describe('An environment ends without harm to the model', () => {
  it('at the timeout, a synchronous loop included, and is replaced', async () => {
    const { invoke } = await prepare(
      `export const handler = async (event) => { while (event.loop) {} return 'done'; };`,
      { Timeout: 1 },
    );
    const { error, value } = await invoke({ loop: true });
    expect(error).toBe('Unhandled');
    expect(value.errorType).toBe('Sandbox.Timedout');
    expect(value.errorMessage).toMatch(/Task timed out after 1\.00 seconds$/);
    expect((await invoke()).value).toBe('done');
  });

  it.each([
    ['process.exit', 'process.exit(3)', /Runtime exited with error: exit status 3/],
    ['no memory left', 'const all = []; for (;;) all.push(new Array(1e6).fill(1.5));', /out of memory/],
    ['buffers beyond its memory', 'globalThis.kept = Buffer.alloc(600e6);', /out of memory/],
    [
      'buffers that grow while it waits',
      `for (const kept = []; ; ) {
        kept.push(Buffer.alloc(20e6));
        await new Promise((resolve) => setTimeout(resolve, 30));
        if (kept.length > 40) return 'too much';
      }`,
      /out of memory/,
    ],
    [
      'a promise that never settles',
      'await new Promise(() => {})',
      /Runtime exited without providing a reason/,
    ],
  ])('at %s', async (_name, statement, message) => {
    const { invoke } = await prepare(
      `export const handler = async (event) => { if (event.end) { ${statement} } return 'done'; };`,
      { Timeout: 60 },
    );
    const { value } = await invoke({ end: true });
    expect(value.errorType).toBe('Runtime.ExitError');
    expect(value.errorMessage).toMatch(message);
    expect((await invoke()).value).toBe('done');
  });

  it('not for buffers within its memory, those of other environments apart', async () => {
    const { invoke } = await prepare(
      `export const handler = async () => { globalThis.kept = Buffer.alloc(100e6); return globalThis.kept.length; };`,
    );
    const other = Buffer.alloc(200e6);
    expect((await invoke()).value).toBe(100e6);
    expect(other.length).toBe(200e6);
  });

  it('at an exception that nobody catches', async () => {
    const { invoke } = await prepare(
      `export const handler = () => new Promise(() => setImmediate(() => { throw new TypeError('late'); }));`,
    );
    expect((await invoke()).value).toMatchObject({ errorType: 'TypeError', errorMessage: 'late' });
  });

  it('really: what was killed in a loop does nothing any more', async () => {
    const { lambda, invoke, folder } = await prepare(
      `import { appendFileSync } from 'node:fs';
      export const handler = async ({ file }) => { while (file) appendFileSync(file, '.'); return 'done'; };`,
      { Timeout: 60 },
    );
    const file = join(folder, 'ticks');
    const running = invoke({ file });
    await untilBusy(lambda);
    while (!existsSync(file)) await new Promise((resolve) => setImmediate(resolve));
    lambda.kill('worker');
    await running;
    await invoke();
    const before = statSync(file).size;
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
    expect(statSync(file).size).toBe(before);
  });

  it('when it is killed in the middle of an invocation', async () => {
    const { lambda, invoke } = await prepare(
      `export const handler = async (event) => { while (event.loop) {} return 'done'; };`,
      { Timeout: 60 },
    );
    await invoke();
    expect(lambda.kill('worker')).toBe(false);
    const running = invoke({ loop: true });
    await untilBusy(lambda);
    expect(lambda.kill('worker')).toBe(true);
    expect((await running).value).toMatchObject({
      errorType: 'Runtime.ExitError',
      errorMessage: expect.stringMatching(/signal: killed$/),
    });
    expect((await invoke()).value).toBe('done');
  });
});

describe('A function gets its code', () => {
  it('from a zip file', async () => {
    const { context } = modelContext(systemClock);
    const lambda = createLambda(context, {
      sqs: fakeQueue(systemClock),
      executor: workerExecutor({ log: () => undefined }),
    });
    open.push(lambda);
    await call(lambda, 'CreateFunction', {
      FunctionName: 'zipped',
      Role: 'arn:aws:iam::000000000000:role/worker',
      Handler: 'src/app.run',
      Code: { ZipFile: zipOf('src/app.mjs', 'export const run = async () => 42;') },
    });
    const answer = await call<Answer>(lambda, 'Invoke', { FunctionName: 'zipped' });
    expect(Buffer.from(answer.Payload).toString()).toBe('42');
  });

  it('from an object of S3, of the version that is named', async () => {
    const { context } = modelContext(systemClock);
    const versions: Record<string, Uint8Array> = {
      old: zipOf('index.mjs', 'export const handler = async () => "old";'),
      new: zipOf('index.mjs', 'export const handler = async () => "new";'),
    };
    const lambda = createLambda(context, {
      sqs: fakeQueue(systemClock),
      executor: workerExecutor({ log: () => undefined }),
      objectOf: (bucket, key, version = 'new') =>
        bucket === 'assets' && key === 'code.zip' ? versions[version] : undefined,
    });
    open.push(lambda);
    const FunctionName = 'stored';
    const at = { S3Bucket: 'assets', S3Key: 'code.zip' };
    await call(lambda, 'CreateFunction', {
      FunctionName,
      Role: 'arn:aws:iam::000000000000:role/worker',
      Code: { ...at, S3ObjectVersion: 'old' },
    });
    const answer = async () =>
      Buffer.from((await call<Answer>(lambda, 'Invoke', { FunctionName })).Payload).toString();
    expect(await answer()).toBe('"old"');
    await call(lambda, 'UpdateFunctionCode', { FunctionName, ...at });
    expect(await answer()).toBe('"new"');
    await expect(
      call(lambda, 'UpdateFunctionCode', { FunctionName, ...at, S3ObjectVersion: 'lost' }),
    ).rejects.toThrow('The specified key does not exist: assets/code.zip (version lost)');
  });

  it.each([
    [
      'index.mjs',
      "import { SQSClient } from '@aws-sdk/client-sqs'; export const handler = async () => typeof SQSClient;",
    ],
    [
      'index.js',
      "const { SNSClient } = require('@aws-sdk/client-sns'); exports.handler = async () => typeof SNSClient;",
    ],
  ])('with the SDK at hand that Lambda’s runtime holds, as the CDK expects it (%s)', async (file, source) => {
    const { lambda, invoke } = await prepare('export const handler = async () => 1;');
    await call(lambda, 'UpdateFunctionCode', { FunctionName: 'worker', ZipFile: zipOf(file, source) });
    expect((await invoke()).value).toBe('function');
  });

  it('anew after an update', async () => {
    const { lambda, invoke } = await prepare('export const handler = async () => 1;');
    expect((await invoke()).value).toBe(1);
    await call(lambda, 'UpdateFunctionCode', {
      FunctionName: 'worker',
      ZipFile: zipOf('index.mjs', 'export const handler = async () => 2;'),
    });
    expect((await invoke()).value).toBe(2);
  });

  it('never from a zip file that would write elsewhere', async () => {
    const { lambda } = await prepare('export const handler = async () => 1;');
    const input = { FunctionName: 'worker', ZipFile: zipOf('../escaped.mjs', '') };
    await expect(call(lambda, 'UpdateFunctionCode', input)).rejects.toThrow('unsafe path: ../escaped.mjs');
    const whole = Buffer.from(zipOf('index.mjs', 'export const handler = async () => 1;'));
    const scribbled = Buffer.from(whole);
    scribbled.fill(0xff, 35, 50);
    for (const ZipFile of [Buffer.from('no zip'), whole.subarray(20), scribbled]) {
      const input = { FunctionName: 'worker', ZipFile };
      await expect(call(lambda, 'UpdateFunctionCode', input)).rejects.toThrow(
        /Could not unzip uploaded file/,
      );
    }
  });

  it('or is refused with the reason', async () => {
    await expect(prepare('', {}, 'main.mjs')).rejects.toThrow(
      /Handler "index.handler" of function worker is not in/,
    );
  });
});

/** A zip archive of one file. */
function zipOf(name: string, text: string): Uint8Array {
  const data = deflateRawSync(Buffer.from(text));
  const header = (signature: number, rest: number) => {
    const bytes = Buffer.alloc(rest);
    bytes.writeUInt32LE(signature, 0);
    return bytes;
  };
  const local = header(0x04034b50, 30);
  local.writeUInt16LE(8, 8);
  local.writeUInt32LE(data.length, 18);
  local.writeUInt32LE(text.length, 22);
  local.writeUInt16LE(name.length, 26);
  const central = header(0x02014b50, 46);
  central.writeUInt16LE(8, 10);
  central.writeUInt32LE(data.length, 20);
  central.writeUInt32LE(text.length, 24);
  central.writeUInt16LE(name.length, 28);
  const end = header(0x06054b50, 22);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(46 + name.length, 12);
  end.writeUInt32LE(30 + name.length + data.length, 16);
  return Buffer.concat([local, Buffer.from(name), data, central, Buffer.from(name), end]);
}

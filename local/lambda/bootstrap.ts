/**
 * The program of one worker thread, as text: a worker cannot load TypeScript, and a file of its own would have
 * to be found both in the sources and in the built package. It plays Lambda's Node runtime.
 *
 * Between two invocations the thread sleeps in `Atomics.wait`, so that no timer fires and no socket is read: an
 * environment of Lambda is frozen in the same way. What cannot be frozen: V8's own helper threads, and I/O that
 * the system has already accepted.
 */
export const bootstrap = String.raw`'use strict';
const { parentPort, receiveMessageOnPort, workerData } = require('node:worker_threads');
const { existsSync } = require('node:fs');
const { createRequire } = require('node:module');
const os = require('node:os');
const path = require('node:path');
const { pathToFileURL } = require('node:url');
const { getHeapStatistics } = require('node:v8');
const { setInterval: every, clearInterval: endWatch } = require('node:timers');
const { configuration, wake, bufferLimit } = workerData;

// Functions make room for the endpoint and its callers. Not allowed everywhere, and never a reason to fail.
try { os.setPriority(0, 19); } catch {}

let requestId = '';
let lines = [];
const flush = () => {
  if (lines.length === 0) return;
  parentPort.postMessage({ kind: 'log', requestId, lines });
  lines = [];
};
const capture = (stream) => {
  let rest = '';
  const decoder = new TextDecoder();
  stream.write = (chunk, encoding, callback) => {
    const text = typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
    const parts = (rest + text).split('\n');
    rest = parts.pop();
    if (parts.length > 0) {
      if (lines.length === 0) queueMicrotask(flush);
      lines.push(...parts);
    }
    const done = typeof encoding === 'function' ? encoding : callback;
    if (done) queueMicrotask(done);
    return true;
  };
  return () => { if (rest !== '') { lines.push(rest); rest = ''; } };
};
const endOutput = capture(process.stdout);
const endErrors = capture(process.stderr);

const describe = (error, errorType) => error instanceof Error
  ? { errorType: errorType ?? error.name, errorMessage: error.message, trace: String(error.stack ?? '').split('\n') }
  : { errorType: errorType ?? typeof error, errorMessage: String(error), trace: [] };
const fatal = (error) => {
  endOutput(); endErrors(); flush();
  parentPort.postMessage({ kind: 'fatal', requestId, error });
  process.exit(1);
};
process.on('uncaughtException', (error) => fatal(describe(error)));
process.on('unhandledRejection', (reason) => fatal(describe(reason, 'Runtime.UnhandledPromiseRejection')));
process.on('exit', () => { endOutput(); endErrors(); flush(); });

// Buffers lie outside of the heap that V8 bounds: what this thread holds of them is looked at here.
const checkBuffers = () => {
  if (getHeapStatistics().external_memory <= bufferLimit) return;
  fatal({ errorType: 'Runtime.ExitError', errorMessage: 'RequestId: ' + requestId + ' Error: ' + workerData.outOfMemory });
};

const load = async () => {
  const folder = configuration.codeFolder;
  const dot = configuration.handler.lastIndexOf('.');
  const name = configuration.handler.slice(0, dot);
  const exported = configuration.handler.slice(dot + 1);
  const file = ['.mjs', '.js', '.cjs'].map((end) => path.join(folder, name + end)).find((candidate) => existsSync(candidate));
  if (file === undefined) {
    return { error: { errorType: 'Runtime.ImportModuleError', errorMessage: "Error: Cannot find module '" + name + "'", trace: [] } };
  }
  try {
    let loaded;
    if (file.endsWith('.mjs')) loaded = await import(pathToFileURL(file).href);
    else {
      try { loaded = createRequire(file)(file); }
      catch (error) {
        if (error.code !== 'ERR_REQUIRE_ESM' && !(error instanceof SyntaxError)) throw error;
        loaded = await import(pathToFileURL(file).href);
      }
    }
    const handler = loaded[exported] ?? loaded.default?.[exported];
    if (typeof handler !== 'function') {
      return { error: { errorType: 'Runtime.HandlerNotFound', errorMessage: configuration.handler + ' is undefined or not exported', trace: [] } };
    }
    return { handler };
  } catch (error) { return { error: describe(error) }; }
};

const call = (handler, event, context) => new Promise((resolve, reject) => {
  const callback = (error, response) => (error == null ? resolve(response) : reject(error));
  const returned = handler(event, context, callback);
  if (returned != null && typeof returned.then === 'function') returned.then(resolve, reject);
  // A synchronous handler that takes a callback answers by it; one that does not has answered already.
  else if (handler.length < 3) resolve(returned);
});

(async () => {
  const { handler, error } = await load();
  flush();
  parentPort.postMessage({ kind: 'ready' });
  for (let handled = 0; ; ) {
    Atomics.wait(wake, 0, handled);
    handled = Atomics.load(wake, 0);
    const work = receiveMessageOnPort(parentPort)?.message;
    if (work === undefined) continue;
    // One turn of the loop, so that what happened in the frozen time (sockets that were closed) is seen first.
    await new Promise((resume) => setImmediate(resume));
    requestId = work.requestId;
    const context = {
      functionName: configuration.functionName,
      functionVersion: configuration.version || '$LATEST',
      invokedFunctionArn: configuration.functionArn,
      memoryLimitInMB: String(configuration.memorySize),
      awsRequestId: requestId,
      logGroupName: '/aws/lambda/' + configuration.functionName,
      logStreamName: configuration.logStream,
      callbackWaitsForEmptyEventLoop: true,
      getRemainingTimeInMillis: () => Math.max(0, Math.round(work.deadline - performance.timeOrigin - performance.now())),
    };
    let answer;
    if (error !== undefined) fatal(error);
    // It keeps no loop alive: an invocation with nothing left to wait for is over.
    const watch = every(checkBuffers, workerData.bufferWatch).unref();
    try {
      const response = await call(handler, JSON.parse(work.payload), context);
      answer = { kind: 'result', requestId, payload: JSON.stringify(response) ?? 'null' };
    } catch (thrown) { answer = { kind: 'result', requestId, error: describe(thrown) }; }
    endWatch(watch);
    checkBuffers();
    endOutput(); endErrors(); flush();
    parentPort.postMessage(answer);
  }
})();
`;

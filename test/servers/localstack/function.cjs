// One environment of a function: takes a call a line on standard input, answers a line on the descriptor that it was
// given, so that what the function prints stays apart.
const { existsSync, writeSync } = require('node:fs');
const { join } = require('node:path');
const { createInterface } = require('node:readline');

const { _HANDLER: named = '', LAMBDA_TASK_ROOT: folder = '' } = process.env;
const answers = Number(process.env.SLUICE_ANSWERS);
const dot = named.lastIndexOf('.');
const [module_, name] = [named.slice(0, dot), named.slice(dot + 1)];

let handler;
async function load() {
  const file = ['.mjs', '.js', '.cjs'].map((ending) => join(folder, module_ + ending)).find(existsSync);
  if (file === undefined) throw new Error(`There is no module ${module_} in the function's code.`);
  const exported = await import(file);
  handler = exported[name] ?? exported.default?.[name];
  if (typeof handler !== 'function') throw new Error(`${file} exports no function ${name}.`);
}

const answer = (failed, value) => {
  // The descriptor is a pipe: one write may take a part.
  let rest = Buffer.from(`${JSON.stringify({ failed, value })}\n`);
  while (rest.length > 0) rest = rest.subarray(writeSync(answers, rest));
};

createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, arn, seconds, event } = JSON.parse(line);
  const deadline = Date.now() + seconds * 1000;
  try {
    if (handler === undefined) await load();
    const value = await handler(event, {
      awsRequestId: id,
      invokedFunctionArn: arn,
      functionName: process.env.AWS_LAMBDA_FUNCTION_NAME,
      functionVersion: process.env.AWS_LAMBDA_FUNCTION_VERSION,
      memoryLimitInMB: process.env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE,
      logGroupName: process.env.AWS_LAMBDA_LOG_GROUP_NAME,
      logStreamName: process.env.AWS_LAMBDA_LOG_STREAM_NAME,
      getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
    });
    answer(false, value ?? null);
  } catch (error) {
    answer(true, {
      errorType: error?.name ?? 'Error',
      errorMessage: String(error?.message ?? error),
      trace: String(error?.stack ?? '').split('\n'),
    });
  }
});

import { parentPort, workerData } from 'node:worker_threads';
import { type Answer, type Job, optionsOf } from './job.ts';
import { play } from './play.ts';

/* The program of a thread that plays seeds: it is sent a seed and answers with a verdict, until it is ended. */

const port = parentPort;
if (port === null) throw new Error('This is the program of a thread; simulate() starts it.');
// Errors of services are planned by the thousand, and nobody reads where they were made.
Error.stackTraceLimit = 0;
const options = optionsOf(workerData as Job);
// One after another: histories that take turns would share what is global in the runtime.
let before: Promise<void> = Promise.resolve();
port.on('message', (seed: number) => {
  before = before.then(async () => port.postMessage(await answer(seed)));
});

async function answer(seed: number): Promise<Answer> {
  try {
    const { violations, counts, virtualHours } = await play(seed, options);
    return { seed, violations, counts, virtualHours };
  } catch (error) {
    return { seed, error: error instanceof Error ? `${error.name}: ${error.message}` : String(error) };
  }
}

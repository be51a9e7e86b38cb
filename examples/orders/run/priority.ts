import { readdirSync } from 'node:fs';
import { setPriority } from 'node:os';

/** Between the endpoint and the shop (0) and the functions (19): V8's helpers work for all of them. */
const niceness = 10;

/**
 * Lets the threads that V8 keeps for compiling and collecting make room for the endpoint and the shop. A dozen
 * environments load the SDK at once and have it compiled by these threads: at full priority they take, on two
 * cores, most of the time that answering publishes needs. Called before any other thread is started. Only
 * Linux has priorities by thread; elsewhere nothing is done.
 */
export function yieldHelpers(): void {
  if (process.platform !== 'linux') return;
  for (const thread of readdirSync('/proc/self/task'))
    if (Number(thread) !== process.pid) setPriority(Number(thread), niceness);
}

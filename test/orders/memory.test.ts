import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { treeMemory, watchMemory } from '../../examples/orders/run/memory.ts';

const has = existsSync(`/proc/self/task/${process.pid}/children`);

/** A process whose own child holds 150 MiB. */
async function family() {
  const hold = `const held = Buffer.alloc(150 * 2 ** 20, 1); process.stdout.write('held'); process.stdin.on('end', () => held).resume();`;
  const parent = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(hold)}], { stdio: 'inherit' });`;
  const child = spawn(process.execPath, ['-e', parent], { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  return child;
}

describe.runIf(has)('the memory of a run is that of every process of it', () => {
  it('counts what a child of a child holds, and keeps the peak', async () => {
    const before = treeMemory(process.pid) as number;
    const watch = watchMemory(process.pid);
    const child = await family();
    const during = treeMemory(child.pid as number) as number;
    const peak = watch.peak();
    child.stdin.end();
    await once(child, 'close');
    expect(during).toBeGreaterThan(150);
    expect(peak.of).toBe('all processes');
    expect(peak.peak).toBeGreaterThan(before + 100);
    expect(watch.peak().peak).toBeGreaterThanOrEqual(peak.peak);
    watch.stop();
  });
});

it('says that it is one process where no tree can be seen', () => {
  // No process has this number.
  const watch = watchMemory(2 ** 30);
  const { peak, of } = watch.peak();
  watch.stop();
  expect(of).toBe('this process');
  expect(peak).toBeGreaterThan(10);
});

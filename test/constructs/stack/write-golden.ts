// Brings golden/orders.logical-ids.json up to date, and says what that means for stacks that are deployed.
import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { additionsOf, lossesOf } from './ids.ts';
import { goldenFile, ordersNow, ordersThen } from './orders.ts';

const then = existsSync(goldenFile) ? ordersThen() : {};
const now = ordersNow();
writeFileSync(goldenFile, `${JSON.stringify(now, null, 2)}\n`);
execFileSync('npx', ['biome', 'format', '--write', goldenFile]);
console.log([...lossesOf(then, now), ...additionsOf(then, now), `Written: ${goldenFile}`].join('\n'));

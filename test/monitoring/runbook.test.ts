import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type AlarmProfile, seconds } from 'sluice';
import { describe, expect, it } from 'vitest';
import {
  defaultRunbook,
  dimensionsOf,
  monthlyPrice,
  operatorMetrics,
  subscriberAlarms,
  topicAlarms,
} from '../../lib/monitoring/index.ts';

const page = readFileSync(fileURLToPath(new URL('../../docs/watch.md', import.meta.url)), 'utf8');
const anchors = [...page.matchAll(/^##+ (.*)$/gm)].map(([, heading]) =>
  (heading as string).toLowerCase().replaceAll(' ', '-'),
);

const subscriber = (alarms: AlarmProfile, fifo = true) =>
  subscriberAlarms({ name: 'it', lag: seconds(60), fifo, concurrency: 10, alarms });
const topic = (filtered: boolean) => topicAlarms({ name: 'it', subscribers: ['one'], filtered });
const lean = new Set(subscriber('lean').map(({ key }) => key));
const standard = new Set(subscriber('full', false).map(({ key }) => key));

describe('docs/watch.md is the runbook of every alarm', () => {
  it.each([...topic(true), ...subscriber('full')])(
    '$key: its section, and its row with the set that has it',
    ({ id, key, runbook, severity, notifyOnOk, subject }) => {
      expect(anchors).toContain(runbook);
      const set =
        subject.kind === 'topic'
          ? id === 'G3'
            ? 'with a filter'
            : 'always'
          : lean.has(key)
            ? 'lean'
            : standard.has(key)
              ? 'full'
              : 'full, FIFO';
      const row = `\\| ${id} \\| \\[${key.slice(`it-${id}-`.length)}\\]\\(#${runbook}\\) \\| ${set} \\| .* \\| ${severity} \\| ${notifyOnOk ? 'yes' : 'no'} \\|`;
      expect(page).toMatch(new RegExp(`^${row}$`, 'm'));
    },
  );

  it('has no row of an alarm that there is not', () => {
    const rows = page.match(/^\| [A-L]\d? \| \[/gm) ?? [];
    expect(rows).toHaveLength(topic(true).length + subscriber('full').length);
  });

  it.each([
    ['a subscriber', '`lean`', subscriber('lean')],
    ['a subscriber', '`full`', subscriber('full', false)],
    ['a FIFO subscriber', '`full`', subscriber('full')],
    ['a topic', 'always', topic(false)],
    ['a topic with a filter behind it', 'always', topic(true)],
  ] as const)('the price of %s, %s', (what, set, alarms) => {
    expect(page).toContain(`| ${what} | ${set} | $${monthlyPrice(alarms).toFixed(2)} |`);
  });

  it('is at the address that alarms have by default, in a project that installed the package', () => {
    const { name, files } = JSON.parse(
      readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
    ) as {
      name: string;
      files: string[];
    };
    expect(defaultRunbook).toBe(`node_modules/${name}/docs/watch.md`);
    expect(files).toContain('docs/*.md');
    expect(page).toContain(defaultRunbook);
  });

  it('the command for replays publishes what holds the page back', () => {
    const command = /^aws cloudwatch put-metric-data .*$/m.exec(page)?.[0] ?? '';
    const flag = (name: string) => new RegExp(`--${name} (\\S+)`).exec(command)?.[1];
    const { namespace, name, target } = operatorMetrics.replaying('payments');
    expect(flag('namespace')).toBe(namespace);
    expect(flag('metric-name')).toBe(name);
    const dimensions = Object.entries(dimensionsOf(target, () => ''));
    expect(flag('dimensions')).toBe(dimensions.map((pair) => pair.join('=')).join(','));
    expect(Number(flag('value'))).toBeGreaterThan(0);
  });
});

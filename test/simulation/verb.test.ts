import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { breaks, play, readable, troubles } from '../../ops/simulation/index.ts';
import { startCommand } from '../cli/command.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sluice-simulate-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const simulate = (words: string) => startCommand(folder, ['simulate', ...words.split(' ')]).ended;
const patient = { timeout: 120_000 };

describe('sluice simulate says what became of every event', () => {
  test('as JSON, with zeros and code 0 when every promise was kept', patient, async () => {
    const { code, stdout, stderr } = await simulate('--seeds 12 --json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const report = JSON.parse(stdout);
    expect(report).toEqual({
      seeds: 12,
      lost: 0,
      doubled: 0,
      reordered: 0,
      phantom: 0,
      stuck: 0,
      parked: 0,
      letter: 0,
      violations: [],
      virtualHours: expect.any(Number),
      seconds: expect.any(Number),
    });
    expect(report.virtualHours).toBeGreaterThan(0.5);
    expect(report.seconds).toBeGreaterThan(0);
  });

  test('of the orders example too', patient, async () => {
    const { code, stdout } = await simulate('--example orders --seeds 3 --hours 1 --json');
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ seeds: 3, lost: 0, violations: [] });
    expect(JSON.parse(stdout).virtualHours).toBeGreaterThan(3);
  });

  test('as text', patient, async () => {
    const { code, stdout } = await simulate('--seeds 5 --faults freeze,crash-after');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^5 histories in [\d.]+ s: [\d.]+ virtual hours, \d+ messages, /);
    expect(stdout).toContain('lost 0, doubled 0, reordered 0, phantom 0, stuck 0, parked 0, letter 0\n');
  });

  test('with a command for each violation, which shows it again, and code 1', patient, async () => {
    const found = await simulate('--seeds 6 --break responseWithNull --json');
    expect(found.code).toBe(1);
    const { lost, violations } = JSON.parse(found.stdout);
    expect(lost).toBeGreaterThan(0);
    expect(violations.filter(({ kind }: { kind: string }) => kind === 'lost')).toHaveLength(lost);
    const [{ seed, kind, subscriber, text, replay }] = violations;
    expect(replay).toBe(`npx sluice simulate --seed ${seed} --break responseWithNull`);

    const shown = await simulate(replay.split(' ').slice(3).join(' '));
    expect(shown.code).toBe(1);
    expect(shown.stdout).toContain(`seed ${seed}: ${kind}: ${subscriber}: ${text}\n  ${replay}\n`);
    expect(shown.stdout).toMatch(/Seed \d+, made shorter: \d of \d+ publishes and troubles are enough/);
  });
});

test('npm run simulate plays the ten thousand', () => {
  const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  expect(scripts.simulate).toBe('node bin/sluice.mjs simulate --seeds 10000');
});

describe('a seed is shown as a story', () => {
  test('the same in every process', patient, async () => {
    const { code, stdout } = await simulate('--seed 7');
    const { story, digest } = await play(7, {});
    expect(code).toBe(0);
    // Errors of handlers are told by their first line, so that nothing of this machine is in it.
    expect(stdout).toContain(`${readable(story).join('\n')}\ndigest ${digest}\n`);
  });
});

test('a story does not tell every call that fails while a service is away', () => {
  const refused = (moment: number) => `     ${moment}.000  sqs SendMessage is refused: InternalServerError`;
  const story = [
    'orders1 hears orders',
    ...[1, 2, 3, 4, 5, 6].map(refused),
    '     7.000  orders1 runs a',
    refused(8),
  ];
  expect(readable(story)).toEqual([
    ...story.slice(0, 5),
    '            and 2 more calls that fail or take long',
    ...story.slice(7),
  ]);
});

describe('sluice simulate lists what it knows', () => {
  test('faults, one a line', async () => {
    const { code, stdout } = await simulate('--faults list');
    expect(code).toBe(0);
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => line.split(' ')[0]),
    ).toEqual(Object.keys(troubles));
  });

  test('broken runtimes, one a line', async () => {
    const { code, stdout } = await simulate('--break list');
    expect(code).toBe(0);
    expect(stdout.trimEnd().split('\n')).toEqual(Object.keys(breaks));
  });
});

describe('a mistake is answered by one line and code 2', () => {
  test.concurrent.each([
    ['--seeds 0', /'--seeds <number>' argument '0' is invalid\. It must be a whole number from 1/],
    ['--seeds 1.5', /argument '1\.5' is invalid\. It must be a whole number/],
    ['--seeds many', /argument 'many' is invalid\. It must be a whole number/],
    ['--seed -3', /argument '-3' is invalid\. It must be a whole number from 0/],
    ['--hours 0', /It must be a number above 0, up to 1000/],
    ['--example mail', /The only example is orders/],
    ['--faults freeze,fire', /--faults has "fire"; there are crash-before, /],
    ['--break everything', /--break is "everything"; there are .*noFence.*, list\./],
    ['--fault freeze', /unknown option '--fault'; flags are --example, --seeds/],
  ])('%s', async (words, message) => {
    const { code, stdout, stderr } = await simulate(words);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(message);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });
});

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { Command } from 'commander';
import { createAws } from 'sluice/local';
import { describe, expect, it } from 'vitest';
import { register as registerGroups } from '../../bin/verbs/groups.ts';
import { register as registerLocal } from '../../bin/verbs/local.ts';
import { register as registerStart } from '../../bin/verbs/start.ts';
import { register as registerWork } from '../../bin/verbs/work.ts';
import { orders } from '../../examples/orders/topology.ts';
import { deadLetterReasons, runtimeMetrics } from '../../lib/monitoring/index.ts';
import { pages, root } from './support.ts';

const page = (path: string): string => {
  const text = pages.get(path);
  if (text === undefined) throw new Error(`There is no page ${path}.`);
  return text;
};

/** First cells of the rows of all tables of a page. */
const firstCells = (path: string): string =>
  page(path)
    .split('\n')
    .flatMap((line) => /^\| ([^|]+) \|/.exec(line)?.[1] ?? [])
    .join('\n');

/** Anchors as GitHub makes them of headings. */
const anchorsOf = (text: string): Set<string> =>
  new Set(
    text
      .replaceAll(/^```[\s\S]*?^```$/gm, '')
      .split('\n')
      .flatMap((line) => /^#+ (.*)$/.exec(line)?.[1] ?? [])
      .map((heading) =>
        heading
          .toLowerCase()
          .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
          .replaceAll(/\s/g, '-'),
      ),
  );

/** Members of an interface that are values, read from its source. */
const membersOf = (file: string, name: string): string[] => {
  const source = readFileSync(join(root, file), 'utf8');
  const body = new RegExp(`^export interface ${name}\\b.*?\\{\n(.*?)^\\}`, 'ms').exec(source)?.[1] ?? '';
  return [...body.matchAll(/^ {2}readonly (\w+)\??:/gm)].map((match) => match[1] as string);
};

/** Methods of an interface, read from its source. */
const methodsOf = (file: string, name: string): string[] => {
  const source = readFileSync(join(root, file), 'utf8');
  const body = new RegExp(`^export interface ${name}\\b.*?\\{\n(.*?)^\\}`, 'ms').exec(source)?.[1] ?? '';
  return [...body.matchAll(/^ {2}(\w+)[(<]/gm)].map((match) => match[1] as string);
};

describe('what the documentation links to is there', () => {
  const links = [...pages].flatMap(([path, text]) =>
    [...text.matchAll(/\[[^\]]*\]\(([^)\s]+)\)/g)]
      .filter(([, target]) => !/^https?:/.test(target as string))
      .map(([, target]) => ({ path, target: target as string })),
  );

  it.each(links)('$path: $target', ({ path, target }) => {
    const [file = '', anchor] = target.split('#');
    const found = file === '' ? path : normalize(join(dirname(path), file));
    expect(existsSync(join(root, found)), `${found} exists`).toBe(true);
    if (anchor !== undefined) expect([...anchorsOf(page(found))]).toContain(anchor);
  });

  it('every page can be reached from the README', () => {
    const linked = new Set(
      links.filter(({ path }) => path === 'README.md').map(({ target }) => target.split('#')[0]),
    );
    expect([...pages.keys()].filter((path) => path !== 'README.md' && !linked.has(path))).toEqual([]);
  });

  it('pictures say in words what they show', () => {
    for (const text of pages.values()) expect(text).not.toMatch(/!\[\s*\]/);
  });
});

describe('docs/architecture.md says who reads the machine’s time and chance', () => {
  const machine =
    /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\b|\bperformance\.|\bset(Timeout|Interval)\(|\btimers\/promises|\brandom(UUID|Bytes|Int)\b|\bhrtime\b|AbortSignal\.timeout/;

  it('every file of lib, lambda and local that does, and no other', () => {
    const readers = ['lib', 'lambda', 'local']
      .flatMap((room) =>
        readdirSync(join(root, room), { recursive: true, encoding: 'utf8' }).map((path) => `${room}/${path}`),
      )
      .filter((path) => path.endsWith('.ts') && !path.startsWith('lib/base/'))
      .filter((path) => machine.test(readFileSync(join(root, path), 'utf8')));
    const section = page('docs/architecture.md').split('## Time and chance')[1]?.split('\n## ')[0] ?? '';
    expect([...section.matchAll(/`([\w/-]+\.ts)`/g)].map(([, path]) => path)).toEqual(readers);
  });

  it('every room has a row in the table, and every row a room', () => {
    const rooms = firstCells('docs/architecture.md').match(/(?<=`)[\w/]+(?=`)/g) ?? [];
    for (const room of rooms) expect(existsSync(join(root, room)), room).toBe(true);
    const folders = (path: string) =>
      readdirSync(join(root, path), { withFileTypes: true }).flatMap((entry) =>
        entry.isDirectory() ? [join(path, entry.name)] : [],
      );
    expect(rooms.filter((room) => /^(lib|lambda)\//.test(room)).sort()).toEqual(
      [...folders('lib'), ...folders('lambda')].sort(),
    );
  });
});

describe('nothing of what there is to know is left out', () => {
  it.each(Object.keys(orders.subscribers.payments).filter((name) => !['name', 'topic'].includes(name)))(
    'docs/declare.md: the property %s of a subscriber',
    (name) => expect(firstCells('docs/declare.md')).toContain(`\`${name}\``),
  );

  it.each(deadLetterReasons)('docs/handle.md: the reason %s of a dead letter', (reason) =>
    expect(firstCells('docs/handle.md')).toContain(`\`${reason}\``),
  );

  it.each(Object.keys(runtimeMetrics))('docs/handle.md: the metric %s', (name) =>
    expect(page('docs/handle.md')).toContain(`\`${name}\``),
  );

  it.each(membersOf('lambda/runtime/handler.ts', 'HandlerContext'))(
    'docs/handle.md: %s of the handler’s context',
    (name) => expect(firstCells('docs/handle.md')).toContain(`\`${name}\``),
  );

  it.each(membersOf('lib/constructs/stack-props.ts', 'MessagingStackProps'))(
    'docs/deploy.md: the property %s of the stack',
    (name) => expect(firstCells('docs/deploy.md')).toContain(`\`${name}\``),
  );

  it.each(methodsOf('local/simulate/simulation.ts', 'Simulation'))(
    'docs/testing.md: %s of a simulation',
    (name) => expect(firstCells('docs/testing.md')).toContain(`\`${name}(`),
  );

  it.each([
    ...membersOf('local/simulate/simulation.ts', 'Simulation'),
    ...membersOf('local/simulate/simulate.ts', 'SimulateOptions'),
    ...membersOf('local/harness/harness.ts', 'HarnessOptions').filter((name) => name !== 'handlers'),
  ])('docs/testing.md: %s of a simulation and its options', (name) =>
    expect(page('docs/testing.md')).toContain(`\`${name}\``),
  );

  it('docs/run.md: every field of the report', () => {
    const fields = membersOf('examples/orders/run/report.ts', 'RunReport');
    expect(fields).toContain('ok');
    expect(fields.filter((name) => !firstCells('docs/run.md').includes(`\`${name}\``))).toEqual([]);
  });

  it.each([
    ['docs/run.md', registerStart],
    ['docs/local.md', registerLocal],
    ['docs/watch.md', registerGroups],
    ['docs/work.md', registerWork],
  ] as const)('%s: every flag with its default, and no other', (path, register) => {
    const program = new Command();
    register(program);
    const options = program.commands[0]?.options ?? [];
    const said = firstCells(path)
      .split('\n')
      .filter((cell) => cell.startsWith('`--'));
    expect(said).toEqual(options.map(({ flags }) => `\`${flags}\``));
    for (const { flags, defaultValue } of options) {
      const row = page(path)
        .split('\n')
        .find((line) => line.startsWith(`| \`${flags}\` |`));
      // A path of this machine is said in words.
      if (defaultValue !== undefined && !String(defaultValue).includes('/'))
        expect(row).toMatch(new RegExp(`\\| ${String(defaultValue)} \\|$`));
    }
  });

  it('docs/local.md: every service of the model', () => {
    const aws = createAws();
    aws.stop();
    const cells = firstCells('docs/local.md').toLowerCase().replaceAll(' ', '');
    expect(Object.keys(aws.services).filter((id) => !cells.includes(id))).toEqual([]);
  });
});

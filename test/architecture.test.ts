import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Which rooms a room may import, each through its door. A room is the longest of these that a path begins with. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  'lib/base': [],
  // What AWS allows, and what loses messages although AWS allows it: of declarations and of finished stacks.
  'lib/rules': ['lib/base'],
  'lib/topology': ['lib/base', 'lib/rules'],
  'lib/monitoring': ['lib/base', 'lib/rules', 'lib/topology'],
  'lib/constructs': ['lib/base', 'lib/rules', 'lib/topology', 'lib/monitoring'],
  'lambda/runtime': ['lib/base', 'lib/topology'],
  'lambda/functions': ['lib/base', 'lib/topology', 'lambda/runtime'],
  // The event source of a function that no Lambda runs: it knows what a consumer function takes and answers.
  'lambda/worker': ['lib/base', 'lib/topology', 'lambda/runtime'],
  local: ['lib/base', 'lib/topology', 'lib/monitoring'],
  ops: ['lib/base', 'lib/topology', 'lib/monitoring', 'local'],
  // It plays the runtime itself, and what an example makes of it.
  'ops/simulation': [
    ...['lib/base', 'lib/topology', 'local', 'lambda/runtime', 'examples'],
    ...['ops/simulation/judge', 'ops/groups'],
  ],
  // It shares nothing with what it judges.
  'ops/simulation/judge': [],
  // Tools for operators know the table, and neither the runtime nor the model.
  'ops/groups': ['lib/base', 'lib/topology'],
  // It reads what an app synthesized, and runs one of its handlers.
  'ops/work': ['lib/base', 'lib/topology', 'local', 'lambda/worker'],
  // The commands and the app put things together: they may use every door but those that only functions have.
  bin: [
    ...['lib/base', 'lib/rules', 'lib/topology', 'lib/monitoring', 'lib/constructs', 'ops', 'ops/groups'],
    ...['ops/simulation', 'ops/work', 'local'],
    'examples',
  ],
  // An example is what a user writes: it knows the package by its names, see `packageNames`.
  examples: ['lib/topology', 'lib/constructs', 'lambda/runtime', 'lambda/worker', 'local'],
};

/** The package's own names, and the doors behind them. */
const packageNames: Readonly<Record<string, string>> = {
  sluice: 'lib/topology/index.ts',
  'sluice/cdk': 'lib/constructs/index.ts',
  'sluice/lambda': 'lambda/runtime/index.ts',
  'sluice/local': 'local/index.ts',
  'sluice/worker': 'lambda/worker/index.ts',
};

/** Packages that only some rooms may load; types cost nothing and are free. */
const packages: readonly {
  readonly name: RegExp;
  readonly rooms: readonly string[];
  readonly why: string;
}[] = [
  {
    name: /^(aws-cdk-lib|constructs)(\/|$)/,
    rooms: ['lib/constructs', 'bin', 'examples'],
    why: 'the CDK stays out of functions, tools and the model',
  },
  {
    name: /^@(aws-sdk|smithy)\//,
    rooms: ['lambda/runtime', 'lambda/functions', 'lambda/worker', 'ops', 'bin', 'examples', 'local/http'],
    why: 'the declaration and the model load no SDK, its types apart',
  },
  {
    name: /^(zod|valibot|arktype)(\/|$)/,
    rooms: ['examples'],
    why: 'schema libraries are the user’s choice',
  },
  {
    name: /^@aws-lambda-powertools\//,
    rooms: [],
    why: 'functions log and count by themselves; who wants Powertools hands it in',
  },
];

interface Import {
  readonly line: number;
  readonly source: string;
  readonly typeOnly: boolean;
}

/** Every import, re-export and dynamic import of a module; those in comments do not begin their line. */
function importsOf(text: string): Import[] {
  const found: Import[] = [];
  const statement =
    /^[ \t]*(?:import|export)\s+(type\s)?[^'";=]*?from\s*['"]([^'"]+)['"]|^[ \t]*import\s*()['"]([^'"]+)['"]|^(?![ \t]*(?:\*|\/\/)).*?\bimport\s*\(\s*()['"]([^'"]+)['"]/gm;
  for (const match of text.matchAll(statement)) {
    const source = match[2] ?? match[4] ?? match[6] ?? '';
    const line = text.slice(0, match.index + match[0].lastIndexOf(source)).split('\n').length;
    found.push({ line, source, typeOnly: match[1] !== undefined });
  }
  return found;
}

const roomOf = (path: string): string | undefined =>
  Object.keys(mayImport)
    .filter((room) => path.startsWith(`${room}/`))
    .sort((a, b) => b.length - a.length)[0];

/** Which example a path belongs to: examples do not know each other. */
const exampleOf = (path: string): string | undefined => /^examples\/[^/]+/.exec(path)?.[0];

type HasDoor = (folder: string) => boolean;

/** What is wrong with one import, or nothing. */
function fault(file: string, { source, typeOnly }: Import, hasDoor: HasDoor): string | undefined {
  const room = roomOf(file);
  if (room === undefined) return 'lies in no room: give it a place in the table';
  const named = packageNames[source];
  if (!source.startsWith('.') && named === undefined) {
    const rule = packages.find(({ name }) => name.test(source));
    const allowed = rule?.rooms.some((each) => file.startsWith(`${each}/`)) ?? true;
    if (room === 'lib/base' && !source.startsWith('node:')) return `lib/base imports the package ${source}`;
    if (!allowed && !typeOnly) return `${room} loads ${source}: ${rule?.why}`;
    return undefined;
  }
  if (named !== undefined && room !== 'examples' && room !== 'bin')
    return `${room} imports ${source} by the package's name: inside the package, import the door`;
  const target = named ?? posix.normalize(posix.join(posix.dirname(file), source));
  const other = roomOf(target);
  if (other === undefined) return `${source} leads out of the rooms`;
  if (room === 'examples' && named === undefined)
    return exampleOf(target) === exampleOf(file)
      ? undefined
      : `an example imports ${target}: use the package's names`;
  if (other !== room) {
    if (!mayImport[room]?.includes(other)) return `${room} may not import ${other}`;
    // The seam for broken runtimes: no door of the package, since nobody else is to put a runtime together.
    if (room === 'ops/simulation' && target === 'lambda/runtime/assembly.ts') return undefined;
    // A drawn topology is run as it is; of an example there is one file for it.
    if (room === 'ops/simulation' && other === 'examples')
      return /^examples\/[^/]+\/simulation\.ts$/.test(target)
        ? undefined
        : `${room} imports ${target}: of an example it may import simulation.ts`;
    // The app, the handlers and the run of an example are started one by one: it has no single door.
    if (other !== 'examples' && target !== `${other}/index.ts`)
      return `${target} is inside ${other}: import its door, ${other}/index.ts`;
    return undefined;
  }
  // Within a room, folders with a door are rooms too: what lies beside or above is near, the rest goes by the door.
  const folder = posix.dirname(target);
  const near = posix.dirname(file) === folder || file.startsWith(`${folder}/`);
  return near || posix.basename(target) === 'index.ts' || !hasDoor(folder)
    ? undefined
    : `${target} is inside ${folder}: import its door, ${folder}/index.ts`;
}

/** All that is wrong, each with file and line. */
const violations = (files: Iterable<readonly [path: string, text: string]>, hasDoor: HasDoor): string[] =>
  [...files].flatMap(([file, text]) =>
    importsOf(text).flatMap((each) => {
      const wrong = fault(file, each, hasDoor);
      return wrong === undefined ? [] : [`${file}:${each.line} ${wrong}`];
    }),
  );

/** The TypeScript files of a folder, as paths from the root; a folder that does not exist has none. */
function sources(folder: string): string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.includes('node_modules'))
    .map((path) => posix.join(folder, path));
}

describe('Imports go down, and through doors', () => {
  it('in every file of the repository', () => {
    const files = ['lib', 'lambda', 'local', 'ops', 'examples', 'bin']
      .flatMap((folder) => sources(folder))
      .map((path) => [path, readFileSync(join(root, path), 'utf8')] as const);
    expect(files.length).toBeGreaterThan(20);
    const paths = new Set(files.map(([path]) => path));
    expect(violations(files, (folder) => paths.has(`${folder}/index.ts`))).toEqual([]);
  });
});

describe('The judge of imports', () => {
  const hasDoor = (folder: string) => folder !== 'bin/verbs';

  it.each([
    ['upwards', 'lib/topology/a.ts', "import { b } from '../monitoring/index.ts';"],
    [
      'the functions’ runtime from the model',
      'local/sqs/a.ts',
      "import { b } from '../../lambda/runtime/index.ts';",
    ],
    [
      'constructs from the runtime',
      'lambda/runtime/a.ts',
      "import type { B } from '../../lib/constructs/index.ts';",
    ],
    ['past a door', 'lib/constructs/a.ts', "import { b } from '../topology/rules.ts';"],
    ['past a door of a folder', 'local/sns/a.ts', "export { b } from '../sqs/queue.ts';"],
    ['past a door below', 'local/aws.ts', "import { b } from './sqs/queue.ts';"],
    ['at run time', 'local/a.ts', "const b = await import('../lambda/runtime/index.ts');"],
    ['for its effects', 'lib/base/a.ts', "import '../topology/index.ts';"],
    ['over several lines', 'lib/base/a.ts', "import {\n  b,\n  type C,\n} from '../topology/index.ts';"],
    ['the CDK in the model', 'local/a.ts', "import { App } from 'aws-cdk-lib';"],
    ['the SDK in the declaration', 'lib/topology/a.ts', "import { SQSClient } from '@aws-sdk/client-sqs';"],
    ['the SDK in the model', 'local/sqs/a.ts', "import { SQSClient } from '@aws-sdk/client-sqs';"],
    ['a schema library in the runtime', 'lambda/runtime/a.ts', "import { z } from 'zod';"],
    ['a room by name', 'lambda/runtime/a.ts', "import { event } from 'sluice';"],
    ['an example past the names', 'examples/orders/a.ts', "import { b } from '../../lib/topology/index.ts';"],
    ['an example into another', 'examples/orders/a.ts', "import { b } from '../mail/b.ts';"],
    [
      'the runtime in the judge',
      'ops/simulation/judge/a.ts',
      "import { b } from '../../../lambda/runtime/index.ts';",
    ],
    ['the model in the judge', 'ops/simulation/judge/a.ts', "import type { B } from '../types.ts';"],
    ['past the runtime’s door', 'ops/simulation/a.ts', "import { b } from '../../lambda/runtime/work.ts';"],
    ['the seam elsewhere', 'ops/a.ts', "import { b } from '../lambda/runtime/assembly.ts';"],
    [
      'a handler of an example',
      'ops/simulation/a.ts',
      "import { b } from '../../examples/orders/handlers/a.ts';",
    ],
    ['out of the rooms', 'lib/base/a.ts', "import { b } from '../../test/b.ts';"],
  ])('sees an import %s', (_, file, text) => {
    expect(violations([[file, text]], hasDoor)).toEqual([
      expect.stringMatching(new RegExp(`^${file}:\\d+ .+`)),
    ]);
  });

  it.each([
    ['the door below', 'lib/constructs/a.ts', "import { b } from '../monitoring/index.ts';"],
    ['a neighbour', 'lib/topology/a.ts', "import { b } from './b.ts';"],
    ['what lies above in the room', 'local/sqs/deep/a.ts', "import { b } from '../../service.ts';"],
    ['a door of a folder', 'local/sns/a.ts', "import { b } from '../sqs/index.ts';"],
    ['types of the SDK', 'local/sqs/a.ts', "import type { SQSClient } from '@aws-sdk/client-sqs';"],
    ['the SDK in the wire protocol', 'local/http/a.ts', "import { x } from '@aws-sdk/client-sqs';"],
    [
      'names in an example',
      'examples/orders/a.ts',
      "import { event } from 'sluice';\nimport * as v from 'valibot';",
    ],
    ['a file of the same example', 'examples/orders/handlers/a.ts', "import { b } from '../world/b.ts';"],
    ['an example from the app', 'bin/app.ts', "import { OrdersStack } from '../examples/orders/stack.ts';"],
    ['the seam', 'ops/simulation/breaks/a.ts', "import { b } from '../../../lambda/runtime/assembly.ts';"],
    [
      'an example’s world in the simulation',
      'ops/simulation/a.ts',
      "await import('../../examples/orders/simulation.ts');",
    ],
    ['a file of a folder without a door', 'bin/sluice.ts', "await import('./verbs/start.ts');"],
    ['what a comment says', 'lib/base/a.ts', " * import { b } from '../topology/index.ts';"],
    ['Node’s own', 'lib/base/a.ts', "import { join } from 'node:path';"],
  ])('lets pass %s', (_, file, text) => {
    expect(violations([[file, text]], hasDoor)).toEqual([]);
  });

  it('names the line', () => {
    expect(
      violations([['lib/base/a.ts', "\n\nimport {\n  b,\n} from '../topology/index.ts';"]], hasDoor),
    ).toEqual(['lib/base/a.ts:5 lib/base may not import lib/topology']);
  });
});

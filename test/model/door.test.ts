import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as door from 'sluice/local';
import { describe, expect, it } from 'vitest';

const folder = fileURLToPath(new URL('../../local/', import.meta.url));

/** The file below `local/` that declares what a door hands on under a name, and its name there. */
function placeOf(name: string, file = join(folder, 'index.ts')): readonly [file: string, name: string] {
  const source = readFileSync(file, 'utf8');
  for (const [, names, from] of source.matchAll(/^export (?:type )?\{([^}]*)\} from '([^']+)'/gm)) {
    for (const each of (names ?? '').split(',')) {
      const [inside = '', outside = inside] = each
        .replace(/^\s*type\s/, '')
        .trim()
        .split(' as ');
      if (outside === name) return placeOf(inside, join(dirname(file), from ?? ''));
    }
  }
  return [file, name];
}

function commentOf(name: string): string {
  const [file, inside] = placeOf(name);
  const source = readFileSync(file, 'utf8');
  const declared = new RegExp(`^export (?:async )?(?:function|class|interface|type|const) ${inside}\\b`, 'm');
  const before = source.slice(0, declared.exec(source)?.index ?? 0).trimEnd();
  return before.endsWith('*/') ? before.slice(before.lastIndexOf('/**')) : '';
}

const types = [
  'AwsModel',
  'DeadLetter',
  'Endpoint',
  'Fault',
  'FaultPlan',
  'Harness',
  'LocalStack',
  'QueueView',
];

describe('what sluice/local hands on shows its use', () => {
  it.each([...Object.keys(door), ...types])('%s', (name) => {
    expect(commentOf(name)).toMatch(/^\/\*\*\s+(\* )?[A-Z][\s\S]*@example\n \* ```ts\n[\s\S]*```/);
  });
});

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as door from 'sluice/local';
import { describe, expect, it } from 'vitest';

const folder = fileURLToPath(new URL('../../local/', import.meta.url));

/** The file below `local/` that declares a name which a door hands on. */
function fileOf(name: string, file = join(folder, 'index.ts')): string {
  const source = readFileSync(file, 'utf8');
  for (const [, names, from] of source.matchAll(/^export (?:type )?\{([^}]*)\} from '([^']+)'/gm)) {
    const handedOn = (names ?? '').split(',').map((each) => each.replace(/^\s*type\s/, '').trim());
    if (handedOn.includes(name)) return fileOf(name, join(dirname(file), from ?? ''));
  }
  return file;
}

function commentOf(name: string): string {
  const source = readFileSync(fileOf(name), 'utf8');
  const declared = new RegExp(`^export (?:async )?(?:function|class|interface|type|const) ${name}\\b`, 'm');
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

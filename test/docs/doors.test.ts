import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from './support.ts';

/** What a module hands on, with the file it comes from; modules that only hand on are followed. */
function exportsOf(file: string): { readonly name: string; readonly file: string }[] {
  const source = readFileSync(join(root, file), 'utf8');
  return [...source.matchAll(/^export (?:type )?\{([^}]*)\} from '([^']+)'/gm)].flatMap(([, names, from]) => {
    const target = join(dirname(file), from as string);
    const inner = new Map(exportsOf(target).map((each) => [each.name, each.file]));
    return (names as string)
      .split(',')
      .map((each) => each.replace(/^\s*type\s/, '').trim())
      .filter((each) => each !== '')
      .map((name) => ({ name, file: inner.get(name) ?? target }));
  });
}

/** The comment that stands right before a declaration. */
function commentOf({ name, file }: { readonly name: string; readonly file: string }): string {
  const source = readFileSync(join(root, file), 'utf8');
  const declared = new RegExp(
    `^export (?:abstract |async )?(?:function|class|interface|type|const) ${name}\\b`,
    'm',
  );
  const before = source.slice(0, declared.exec(source)?.index ?? 0).trimEnd();
  return before.endsWith('*/') ? before.slice(before.lastIndexOf('/**')) : '';
}

describe.each([
  ['sluice', 'lib/topology/index.ts'],
  ['sluice/cdk', 'lib/constructs/index.ts'],
  ['sluice/worker', 'lambda/worker/index.ts'],
])('every export of %s says what it is and shows its use', (_, door) => {
  it.each(exportsOf(door))('$name', (each) => {
    const comment = commentOf(each);
    expect(comment, `a comment in ${each.file}`).toMatch(/^\/\*\*\s+(\* )?[A-Z]/);
    expect(comment, `an example in ${each.file}`).toMatch(/@example\n \* ```ts\n[\s\S]*```/);
  });
});

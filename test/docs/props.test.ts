import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

/** The names of the properties of an interface of a file. */
function propertiesOf(path: string, name: string): string[] {
  const [, body = ''] =
    new RegExp(`export interface ${name}\\b[^{]*\\{\\n([\\s\\S]*?)\\n\\}`).exec(read(path)) ?? [];
  return [...body.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, property = '']) => property);
}

describe('docs/deploy.md tells everything that a stack is told', () => {
  const page = read('docs/deploy.md');

  it.each(['MessagingStackProps', 'SubscriberOptions'])('%s', (name) => {
    const properties = propertiesOf('lib/constructs/stack-props.ts', name);
    expect(properties.length).toBeGreaterThan(5);
    expect(properties.filter((property) => !page.includes(`\`${property}\``))).toEqual([]);
  });
});

import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const folder = new URL('../../../ops/simulation/judge/', import.meta.url);

test('the judge shares no code with anything that it judges: it imports nothing but its own files', () => {
  const files = readdirSync(folder);
  const imports = files.flatMap((file) =>
    [
      ...readFileSync(new URL(file, folder), 'utf8').matchAll(
        /\bfrom\s+'([^']+)'|\bimport\s*\(?\s*'([^']+)'/g,
      ),
    ].map(([, source, other]) => source ?? other),
  );
  expect(imports.length).toBeGreaterThan(10);
  expect(imports.filter((source) => !files.includes(String(source).replace('./', '')))).toEqual([]);
});

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { breaks, type Hunted, hunt, mutationTable } from '../../ops/simulation/breaks/index.ts';
import { hazardsPage, numberOf, type Suite } from './page.ts';

/** Writes docs/hazards.md anew: runs the suites of this folder and plays the broken runtimes. */

const root = fileURLToPath(new URL('../..', import.meta.url));

interface Results {
  readonly testResults: readonly {
    readonly assertionResults: readonly {
      readonly ancestorTitles: readonly string[];
      readonly title: string;
      readonly status: string;
    }[];
  }[];
}

function runSuites(): Suite[] {
  const folder = mkdtempSync(join(tmpdir(), 'hazards-'));
  try {
    const file = join(folder, 'results.json');
    spawnSync('npx', ['vitest', 'run', 'test/hazards', '--reporter=json', `--outputFile=${file}`], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const { testResults } = JSON.parse(readFileSync(file, 'utf8')) as Results;
    const suites = new Map<string, { passed: number; failed: number }>();
    for (const { ancestorTitles, title, status } of testResults.flatMap((one) => one.assertionResults)) {
      // A suite, or a test that stands by itself.
      const name = ancestorTitles[0] ?? title;
      if (numberOf(name) === undefined)
        throw new Error(`"${name}" does not begin with the number of a hazard.`);
      const suite = suites.get(name) ?? { passed: 0, failed: 0 };
      suite[status === 'passed' ? 'passed' : 'failed']++;
      suites.set(name, suite);
    }
    return [...suites].map(([name, counts]) => ({ name, ...counts }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

process.stderr.write('running the suites of test/hazards\n');
const suites = runSuites();
const hunted: Hunted[] = [];
for (const broken of Object.values(breaks)) {
  process.stderr.write(`playing ${broken.name}\n`);
  hunted.push(await hunt(broken));
}
writeFileSync(join(root, 'docs/hazards.md'), hazardsPage(suites, mutationTable(hunted)));
process.stdout.write(`docs/hazards.md: ${suites.length} suites, ${hunted.length} broken runtimes\n`);
const good = suites.every(({ failed }) => failed === 0) && hunted.every(({ seed }) => seed !== undefined);
process.exitCode = good ? 0 : 1;

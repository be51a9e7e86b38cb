import { hazards } from './list.ts';

/** What came of the tests of one suite. */
export interface Suite {
  /** Begins with the hazard's number. */
  readonly name: string;
  readonly passed: number;
  readonly failed: number;
}

const head = `# Hazards

Delivery is at least once: a message comes again after a crash, in parallel with itself, late, out of order, or as a copy under another
id. These are the ways in which that breaks the promise that an effect happens once and in order, what is done about each, and
the suite that holds it. The numbers are those of \`test/hazards\`, where each has a file of its own.

This page is written by \`npm run hazards\`, which runs the suites and plays the broken runtimes below; a test compares it
with the suites.

| | hazard | what is done | the suite | last result |
|---|---|---|---|---|
`;

const broken = `## What the simulation finds out

A test that cannot fail proves nothing. So each of these runtimes has one protection switched off, and plays the histories of
[simulate.md](simulate.md) from seed 1 on, until the judge finds what is written here. \`npx sluice simulate --break noFence\`
plays one of them, and shows all that is found in a thousand histories.

`;

/** The page of hazards: what is done about each, which suites hold it, and what broken runtimes do. */
export function hazardsPage(suites: readonly Suite[], mutations: string): string {
  const rows = hazards.map(({ number, hazard, answer }) => {
    const own = suites
      .filter(({ name }) => numberOf(name) === number)
      .toSorted((one, other) => (one.name < other.name ? -1 : 1));
    const names = own.map(({ name }) => name.replace(/^\d+: /, '')).join('; ');
    const passed = own.reduce((sum, suite) => sum + suite.passed, 0);
    const failed = own.reduce((sum, suite) => sum + suite.failed, 0);
    return `| ${number} | ${cell(hazard)} | ${cell(answer)} | ${cell(names)} | ${passed} passed${failed > 0 ? `, ${failed} failed` : ''} |`;
  });
  return `${head}${rows.join('\n')}\n\n${broken}${mutations}\n`;
}

/** The hazard that a suite is about: the number that its name begins with. */
export const numberOf = (name: string): number | undefined => {
  const digits = /^(\d+): /.exec(name)?.[1];
  return digits === undefined ? undefined : Number(digits);
};

const cell = (text: string): string => text.replaceAll('|', '\\|');

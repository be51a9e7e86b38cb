import type { Hunted } from './hunt.ts';

const head = `| mutation | what is switched off | hazard | kinds found | seeds needed |
|---|---|---|---|---|`;

/**
 * The broken runtimes as a table in Markdown, in the order of the hazards: what is switched off in each, and within how
 * many seeds the simulation found what.
 *
 * @example
 * ```ts
 * const results: Hunted[] = [];
 * for (const broken of Object.values(breaks)) results.push(await hunt(broken));
 * writeFileSync('mutations.md', mutationTable(results));
 * ```
 */
export function mutationTable(results: readonly Hunted[]): string {
  const first = ({ broken }: Hunted): number => Math.min(...broken.hazards);
  const rows = [...results]
    .sort((one, other) => first(one) - first(other) || one.broken.name.localeCompare(other.broken.name))
    .map(({ broken: { name, what, hazards, within }, kinds, seed }) =>
      [
        `\`${name}\``,
        what,
        hazards.join(', '),
        kinds.join(', '),
        seed === undefined ? `not found in ${within}` : String(seed),
      ]
        .map((text) => text.replaceAll('|', '\\|'))
        .join(' | '),
    );
  return [head, ...rows.map((row) => `| ${row} |`)].join('\n');
}

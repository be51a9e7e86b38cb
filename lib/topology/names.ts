import { functionNameMost, queueNameMost, topicNameMost } from '../rules/index.ts';
import type { Report } from './errors.ts';

/** How long a resource's name may be, `.fifo` included, and whether it ends so; `fifo` is left out where no name does. */
interface NameRule {
  readonly most: number;
  readonly fifo?: boolean;
}

export const physicalNames = {
  topic: (fifo: boolean): NameRule => ({ most: topicNameMost.value, fifo }),
  queue: (fifo: boolean): NameRule => ({ most: queueNameMost.value, fifo }),
  function: { most: functionNameMost.value },
} as const;

/** Checks a name as AWS will see it; one that is left out is CloudFormation's to choose. */
export function checkPhysicalName(
  property: string,
  name: string | undefined,
  { most, fifo }: NameRule,
  report: Report,
): void {
  if (name === undefined) return;
  const text = String(name);
  const ends = text.endsWith('.fifo');
  if (fifo !== undefined && fifo !== ends)
    report(
      'physical-name',
      property,
      name,
      fifo ? 'a name that ends with .fifo' : 'a name without .fifo',
      'Rename it.',
    );
  const free = fifo !== undefined && ends ? text.slice(0, -'.fifo'.length) : text;
  if (typeof name !== 'string' || !/^[A-Za-z0-9_-]+$/.test(free) || text.length > most)
    report(
      'physical-name',
      property,
      name,
      `up to ${most} letters, digits, hyphens or underscores`,
      'Rename it.',
    );
}

/** Checks a name of the declaration: it becomes part of construct ids, outputs and environment variables. */
export function checkName(property: string, name: string, report: Report): void {
  if (!/^[A-Za-z][A-Za-z0-9-]{0,39}$/.test(name))
    report(
      'declared-name',
      property,
      name,
      'a letter, then up to 39 letters, digits or hyphens',
      'Rename it.',
    );
}

/** Reports names of the declaration that would become one in construct ids, outputs and environment variables. */
export function checkDistinct(kind: string, record: Readonly<Record<string, unknown>>, report: Report): void {
  const seen = new Map<string, string>();
  for (const name of Object.keys(record)) {
    const folded = name.replaceAll('-', '').toLowerCase();
    const other = seen.get(folded);
    if (other !== undefined)
      report(
        'declared-name-distinct',
        `${kind}.${name}`,
        name,
        `a name that differs from "${other}" by more than case and hyphens`,
        'Rename one.',
      );
    seen.set(folded, name);
  }
}

/** Reports a physical name that is given twice, to the same property or to any two of `properties`. */
export function checkUnique<Property extends string>(
  kind: string,
  record: Readonly<Record<string, { readonly [Each in Property]?: string }>>,
  properties: readonly Property[],
  report: Report,
): void {
  const owners = new Map<string, string>();
  for (const [name, declared] of Object.entries(record))
    for (const property of properties) {
      const chosen = declared[property];
      if (chosen === undefined) continue;
      const path = `${kind}.${name}.${property}`;
      const owner = owners.get(chosen);
      if (owner === undefined) owners.set(chosen, path);
      else
        report(
          'physical-name-unique',
          path,
          chosen,
          `a name that ${owner} does not have`,
          'Rename one, or leave it out.',
        );
    }
}

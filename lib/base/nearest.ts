/**
 * The name that was probably meant by a misspelt one: it differs by case alone, or by a letter in about four that is
 * missing, added or another one.
 *
 * @param name - what was written
 * @param names - what may be written
 * @returns undefined when nothing is near
 * @example
 * ```ts
 * nearest('encription', ['encryption', 'environment']); // 'encryption'
 * ```
 */
export function nearest(name: string, names: readonly string[]): string | undefined {
  const most = Math.max(1, Math.floor(name.length / 4));
  let best: { readonly name: string; readonly distance: number } | undefined;
  for (const each of names) {
    const distance = distanceOf(name.toLowerCase(), each.toLowerCase());
    if (distance <= most && distance < (best?.distance ?? Number.POSITIVE_INFINITY))
      best = { name: each, distance };
  }
  return best?.name;
}

/** The fewest letters to be changed, added or left out (Levenshtein). */
function distanceOf(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (const [at, letter] of [...from].entries()) {
    const next = [at + 1];
    for (let other = 0; other < to.length; other++)
      next.push(
        Math.min(
          (next[other] as number) + 1,
          (row[other + 1] as number) + 1,
          (row[other] as number) + (to[other] === letter ? 0 : 1),
        ),
      );
    row = next;
  }
  return row[to.length] as number;
}

/**
 * What to do about a property that means nothing: the name that was probably meant, where one is near.
 *
 * @param name - what was written
 * @param names - what may be written
 * @example
 * ```ts
 * correction('lagg', ['lag', 'on']); // 'Did you mean "lag"? Correct its name, or leave it out.'
 * ```
 */
export function correction(name: string, names: readonly string[]): string {
  const meant = nearest(name, names);
  return `${meant === undefined ? '' : `Did you mean "${meant}"? `}Correct its name, or leave it out.`;
}

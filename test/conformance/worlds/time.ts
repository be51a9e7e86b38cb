import { Difference } from '../case.ts';
import type { World } from '../world.ts';

/** How often {@link World.eventually} looks, in seconds. */
const every = 0.1;

/** `eventually` over a world's own time. */
export const eventuallyOver =
  (pass: World['pass'], now: World['now']): World['eventually'] =>
  async (what, within, look) => {
    const end = now() + within * 1000;
    for (;;) {
      const found = await look();
      if (found !== undefined) return found;
      if (now() >= end) throw new Difference(`Waited ${within} s for ${what}, in vain.`);
      await pass(every);
    }
  };

/** Names that no other case of this run has, nor of another run. */
export function namesOf(prefix: string): World['name'] {
  let count = 0;
  return (base, suffix = '') => {
    count += 1;
    const end = `-${prefix}-${count}${suffix}`;
    return base.slice(0, 64 - end.length) + end;
  };
}

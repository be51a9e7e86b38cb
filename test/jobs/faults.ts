import type { Random } from 'sluice';

/** The part of the orders that is published twice. */
const share = 0.01;

/** Positions of the orders that are published a second time: one of a hundred, and one at least. */
export function publishedTwice(orders: number, random: Random): readonly number[] {
  const positions = new Set<number>();
  const wanted = Math.max(1, Math.round(orders * share));
  while (positions.size < wanted) positions.add(Math.floor(random.next() * orders));
  return [...positions];
}

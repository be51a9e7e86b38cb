import type { Kind } from './evidence.ts';

/** What one verdict found; the judge adds the subscriber. */
export interface Found {
  readonly kind: Kind;
  readonly id?: string;
  readonly text: string;
}

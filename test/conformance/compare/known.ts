import type { ServerName } from '../../servers/names.ts';
import type { Step } from './observe.ts';

/** A difference of a server that is known: a sequence that meets it says nothing new from there on. */
export interface Known {
  readonly server: ServerName;
  readonly kind: string;
  /** What it is, in a line. */
  readonly what: string;
  /** The case that shows it, where one does. */
  readonly caseId?: string;
  readonly holds: (met: {
    readonly step: Step;
    readonly model: string;
    readonly other: string;
    readonly before: readonly Step[];
  }) => boolean;
}

/** What is known of the servers. */
export const known: readonly Known[] = [];

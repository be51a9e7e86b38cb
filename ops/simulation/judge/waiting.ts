import type { SubscriberEvidence } from './evidence.ts';
import type { Expected } from './expected.ts';

/** Whether nothing has become of an event. */
export const undone = ({ effects, letters }: Expected): boolean => effects === 0 && letters.length === 0;

/** How many messages wait: on a FIFO queue in a group, else in the whole queue. */
export const waitingIn = ({ fifo, waiting, waitingGroups }: SubscriberEvidence, group: string): number =>
  fifo ? waitingGroups.filter((each) => each === group).length : waiting;

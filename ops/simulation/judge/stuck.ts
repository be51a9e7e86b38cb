import type { Case } from './expected.ts';
import type { Found } from './found.ts';
import { undone } from './waiting.ts';

/** Messages that wait although nothing fails any more; those behind a parked group wait for the operator. */
export function* stuck({ evidence, events }: Case): Generator<Found> {
  const { fifo, waiting, waitingGroups, parkedGroups } = evidence;
  if (!fifo) {
    if (waiting > 0) yield stuckIn(`${waiting} messages wait`, events.find(undone)?.id);
    return;
  }
  for (const group of new Set(waitingGroups)) {
    if (parkedGroups.includes(group)) continue;
    const count = waitingGroups.filter((each) => each === group).length;
    const first = events.find((event) => event.group === group && undone(event));
    yield stuckIn(`${count} messages of group ${group} wait, and it is not parked`, first?.id);
  }
  const nameless = waiting - waitingGroups.length;
  if (nameless > 0) yield stuckIn(`${nameless} messages of no known group wait`, undefined);
}

const stuckIn = (what: string, id: string | undefined): Found => ({
  kind: 'stuck',
  ...(id === undefined ? {} : { id }),
  text: `${what}, although nothing fails any more${id === undefined ? '' : `; ${id} is not done`}`,
});

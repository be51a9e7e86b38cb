import type { Group, StoredMessage } from './message.ts';
import type { Shelf } from './shelf.ts';

/**
 * The shelf of a FIFO queue. AWS's rule: a message can be received if and only if no *earlier* message of its
 * group is in flight. A delayed message holds nothing back.
 *
 * Groups that have something to give stand in a line. A receive empties the first one before it goes to the
 * next, and who was served goes to the end. What a group can give begins at its first message, and whether it can
 * give is looked at only when something of it changes. A step is O(1), but for delayed messages that stand before
 * visible ones of their group, which are walked over: a FIFO queue has one delay for all its messages, so that
 * such messages exist only where a redrive brings messages without one.
 *
 * Only the first `searchDepth` messages of the queue are searched (SQS developer guide, FIFO quotas). `edge` is
 * the last one of them; it moves on as messages before it leave.
 */
export function createFifoShelf(searchDepth: number): Shelf {
  const groups = new Map<string, Group>();
  let firstReady: Group | undefined;
  let lastReady: Group | undefined;
  let edge: StoredMessage | undefined;
  let count = 0;
  let inFlightGroups = 0;
  let busy: Group[] = [];

  const leaveLine = (group: Group) => {
    if (!group.ready) return;
    group.ready = false;
    if (group.readyPrevious === undefined) firstReady = group.readyNext;
    else group.readyPrevious.readyNext = group.readyNext;
    if (group.readyNext === undefined) lastReady = group.readyPrevious;
    else group.readyNext.readyPrevious = group.readyPrevious;
    group.readyPrevious = undefined;
    group.readyNext = undefined;
  };

  const joinLine = (group: Group) => {
    if (group.ready) return;
    group.ready = true;
    group.readyPrevious = lastReady;
    if (lastReady === undefined) firstReady = group;
    else lastReady.readyNext = group;
    lastReady = group;
  };

  const canGive = (group: Group): boolean => {
    if (group.visible === 0) return false;
    for (let message = group.first; message !== undefined; message = message.groupNext) {
      if (message.state === 'inFlight') return false;
      if (message.state === 'visible') return edge !== undefined && message.number <= edge.number;
    }
    return false;
  };

  const review = (group: Group) => {
    if (group.busy) return;
    if (canGive(group)) joinLine(group);
    else leaveLine(group);
  };

  const groupOf = (id: string): Group => {
    let group = groups.get(id);
    if (group === undefined) {
      group = {
        id,
        first: undefined,
        last: undefined,
        inFlight: 0,
        visible: 0,
        ready: false,
        busy: false,
        readyPrevious: undefined,
        readyNext: undefined,
      };
      groups.set(id, group);
    }
    return group;
  };

  const released = (message: StoredMessage) => {
    const group = message.group!;
    if (--group.inFlight === 0) inFlightGroups--;
  };

  return {
    entered(message) {
      const group = groupOf(message.content.groupId ?? '');
      message.group = group;
      message.groupPrevious = group.last;
      if (group.last === undefined) group.first = message;
      else group.last.groupNext = message;
      group.last = message;
      if (++count <= searchDepth) edge = message;
    },
    shown(message) {
      message.group!.visible++;
      review(message.group!);
    },
    hidden(message) {
      const group = message.group!;
      if (group.inFlight++ === 0) inFlightGroups++;
      review(group);
    },
    released,
    left(message) {
      const group = message.group!;
      if (message.state === 'visible') group.visible--;
      if (message.groupPrevious === undefined) group.first = message.groupNext;
      else message.groupPrevious.groupNext = message.groupNext;
      if (message.groupNext === undefined) group.last = message.groupPrevious;
      else message.groupNext.groupPrevious = message.groupPrevious;
      let discovered: Group | undefined;
      if (edge !== undefined && message.number <= edge.number) {
        if (count > searchDepth) {
          edge = edge.next;
          discovered = edge?.group;
        } else if (message === edge) edge = message.previous;
      }
      count--;
      if (group.first === undefined && !group.busy) {
        leaveLine(group);
        groups.delete(group.id);
      } else review(group);
      if (discovered !== undefined) review(discovered);
    },
    take(limit, accept) {
      const taken: StoredMessage[] = [];
      while (taken.length < limit && firstReady !== undefined) {
        const group = firstReady;
        leaveLine(group);
        group.busy = true;
        busy.push(group);
        let message = group.first;
        // In flight here means: since before this receive. What this receive takes does not stop it.
        while (message !== undefined && message.state !== 'inFlight' && taken.length < limit) {
          const following: StoredMessage | undefined = message.groupNext;
          if (message.state === 'visible') {
            if (edge === undefined || message.number > edge.number) break;
            if (accept(message)) {
              group.visible--;
              taken.push(message);
            }
          }
          message = following;
        }
      }
      return taken;
    },
    settle() {
      const served = busy;
      busy = [];
      for (const group of served) {
        group.busy = false;
        if (group.first === undefined) groups.delete(group.id);
        else review(group);
      }
    },
    groupsInFlight: () => inFlightGroups,
    clear() {
      groups.clear();
      firstReady = undefined;
      lastReady = undefined;
      edge = undefined;
      count = 0;
      inFlightGroups = 0;
    },
  };
}

import { describe, expect, it } from 'vitest';
import { groups } from './cases/index.ts';
import { playCase } from './play.ts';
import { withModel } from './worlds/model.ts';

describe.each(groups)('the model behaves as the documentation says: $title', (group) => {
  const play = async (one: (typeof group.cases)[number]) => {
    const { status, note } = await playCase(group, one, (within) => withModel(one, within));
    expect(`${status} ${note}`.trim()).toBe('pass');
  };
  const virtual = group.cases.filter(({ functions }) => functions !== true);
  if (virtual.length > 0) it.each(virtual)('$title', play);
  // They wait on the machine's clock more than they work.
  const running = group.cases.filter(({ functions }) => functions === true);
  if (running.length > 0) it.concurrent.each(running)('$title', play);
});

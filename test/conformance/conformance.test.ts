import { describe, expect, it } from 'vitest';
import { groups } from './cases/index.ts';
import { playCase } from './play.ts';
import { withModel } from './worlds/model.ts';

describe.each(groups)('the model behaves as the documentation says: $title', (group) => {
  it.each([...group.cases])('$title', async (one) => {
    const { status, note } = await playCase(group, one, (play) => withModel(one, play));
    expect(`${status} ${note}`.trim()).toBe('pass');
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Made } from '../../../local/cloudformation/provider.ts';
import { providers } from '../../../local/cloudformation/providers/index.ts';
import { specimens } from './updates-specimens.ts';
import { inWorld } from './updates-support.ts';

/** A stream that was turned off and on again is another one: the moment in its ARN is its own. */
const unlabelled = ({ physicalId, attributes }: Made) => ({
  physicalId,
  attributes: Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [
      name,
      name === 'StreamArn' && value !== undefined ? String(value).replace(/[^/]*$/, '') : value,
    ]),
  ),
});

describe('A changed resource is as one that was made so, and an update is undone by an update', () => {
  it.each(specimens.map((specimen) => [specimen.type, specimen] as const))(
    '%s',
    async (type, { pairs, prepare, look }) => {
      const fresh = (properties: object) =>
        inWorld(async (world) => {
          await prepare?.(world);
          const made = await world.create(type, { ...properties });
          return { made: unlabelled(made), state: await look(world, made) };
        });
      await fc.assert(
        fc.asyncProperty(pairs, async ([before, after]) => {
          const [wanted, first] = [await fresh(after), await fresh(before)];
          await inWorld(async (world) => {
            await prepare?.(world);
            const made = await world.create(type, before);
            const changed = await world.update(type, made, before, after);
            expect({ made: unlabelled(changed), state: await look(world, changed) }).toEqual(wanted);
            const again = await world.update(type, changed, after, before);
            expect({ made: unlabelled(again), state: await look(world, again) }).toEqual(first);
          });
        }),
        { numRuns: 40 },
      );
    },
  );

  it('is looked at for every type that is changed in place', () => {
    const changed = Object.entries(providers).filter(([, { update }]) => update !== undefined);
    expect(specimens.map(({ type }) => type).sort()).toEqual(changed.map(([type]) => type).sort());
  });
});

describe('What a change of a resource needs is said for every type', () => {
  it.each(Object.entries(providers))('%s', (_type, provider) => {
    const { properties, ignored = {}, replacedBy = [], nameProperty, update } = provider;
    const known = [...properties, ...Object.keys(ignored)];
    expect(known).toEqual(expect.arrayContaining([...replacedBy]));
    expect(new Set(known).size).toBe(known.length);
    expect(new Set(replacedBy).size).toBe(replacedBy.length);
    if (nameProperty !== undefined) expect(replacedBy).toContain(nameProperty);
    // Without an update in place every property leads to a new resource, and has to say so.
    if (update === undefined) expect([...replacedBy].sort()).toEqual([...known].sort());
  });
});

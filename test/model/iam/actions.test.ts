import { describe, expect, it } from 'vitest';
import { createAws } from '../../../local/aws.ts';
import { createVirtualClock } from '../../../local/clock.ts';
import { actionRows } from '../../../local/iam/index.ts';

describe('every action of the model is judged', () => {
  const aws = createAws({ clock: createVirtualClock() });
  aws.stop();

  it.each(Object.values(aws.services).map((service) => [service.id, service] as const))(
    'each one of %s has a row that says what it needs',
    (id, service) => {
      const known = Object.keys(actionRows[id] ?? {});
      expect(Object.keys(service.operations).filter((action) => !known.includes(action))).toEqual([]);
    },
  );
});

import { describe, expect, it } from 'vitest';
import { type Evidence, judge } from '../../examples/orders/run/judge.ts';
import { customerKey, dayKey, shelfKey } from '../../examples/orders/tables.ts';
import type { Order } from '../../examples/orders/topology.ts';

const order = (orderId: number, customerId: number): Order => ({
  orderId,
  customerId,
  date: '1997-01-01',
  quantity: 2,
  amountCents: 1000 + orderId,
});
const sent = [order(1, 7), order(2, 8), order(3, 7), order(4, 7)];

/** The stores after a run in which everything went right. */
function evidence(change: Partial<Evidence> = {}): Evidence {
  const shelvesBefore = Object.fromEntries(sent.map(({ orderId }) => [shelfKey(orderId), 10]));
  return {
    sent,
    uncertain: new Set(),
    charges: sent.map(({ orderId, customerId, amountCents }) => ({
      key: `order.placed:${orderId}`,
      orderId,
      customerId,
      amountCents,
      outcome: 'charged',
      at: 0,
    })),
    pickLists: new Map([
      [customerKey(7), { picked: [1, 3, 4], backOrdered: [] }],
      [customerKey(8), { picked: [2], backOrdered: [] }],
    ]),
    shelves: new Map(sent.map(({ orderId }) => [shelfKey(orderId), 8])),
    shelvesBefore,
    revenue: new Map(
      sent.map(({ orderId, date, amountCents }) => [
        dayKey(date, orderId),
        { orders: 1, pieces: 2, cents: amountCents },
      ]),
    ),
    mails: sent.map(({ orderId, customerId }) => ({ orderId, to: `${customerId}@example.com`, at: 0 })),
    assessments: sent.map(({ orderId }) => ({ orderId, score: 1, at: 0 })),
    deadLetters: [],
    ...change,
  };
}

const clean = { lost: [], doubled: [], reordered: [], phantom: [], repeated: [] };
const of = (subscriber: string, orderId: number) => expect.objectContaining({ subscriber, orderId });

describe('the judge believes the stores, not the runtime', () => {
  it('finds nothing where everything went right', () => {
    const verdict = judge(evidence());
    expect(verdict).toMatchObject(clean);
    const four = { payments: 4, inventory: 4, email: 4, analytics: 4, fraud: 4 };
    expect(verdict.effects).toEqual(four);
    expect(verdict.expectedEffects).toEqual(four);
  });

  it.each(['charges', 'mails', 'assessments'] as const)('sees an order missing from the %s', (store) => {
    const subscriber = { charges: 'payments', mails: 'email', assessments: 'fraud' }[store];
    const verdict = judge(evidence({ [store]: evidence()[store].filter(({ orderId }) => orderId !== 3) }));
    expect(verdict).toMatchObject({ ...clean, lost: [of(subscriber, 3)] });
    expect(verdict.effects[subscriber]).toBe(3);
  });

  it('sees a charge under two keys', () => {
    const { charges } = evidence();
    const again = { ...charges[3]!, key: 'another' };
    expect(judge(evidence({ charges: [...charges, again] }))).toMatchObject({
      ...clean,
      doubled: [of('payments', 4)],
    });
  });

  it('sees charges out of the order of their customer, and only there', () => {
    const [first, second, third, fourth] = evidence().charges;
    const others = judge(evidence({ charges: [second!, first!, third!, fourth!] }));
    expect(others).toMatchObject(clean);
    const same = judge(evidence({ charges: [third!, second!, first!, fourth!] }));
    expect(same).toMatchObject({ ...clean, reordered: [of('payments', 1)] });
  });

  it('sees a pick list with an order missing, twice, late, or of somebody else', () => {
    const lists = (picked: number[]) =>
      judge(
        evidence({
          pickLists: new Map([
            [customerKey(7), { picked, backOrdered: [] }],
            [customerKey(8), { picked: [2], backOrdered: [] }],
          ]),
        }),
      );
    expect(lists([1, 4]).lost).toEqual([of('inventory', 3)]);
    expect(lists([1, 3, 3, 4]).doubled).toEqual([of('inventory', 3)]);
    expect(lists([1, 4, 3]).reordered).toEqual([of('inventory', 3)]);
    expect(lists([1, 2, 3, 4]).phantom).toEqual([of('inventory', 2)]);
    expect(lists([1, 3, 4, 99]).phantom).toEqual([of('inventory', 99)]);
  });

  it('sees a shelf that does not fit the pick lists', () => {
    const shelf = (left: number) =>
      judge(evidence({ shelves: new Map(evidence().shelves).set(shelfKey(1), left) }));
    expect(shelf(10)).toMatchObject({ ...clean, lost: [{ subscriber: 'inventory' }] });
    expect(shelf(6)).toMatchObject({ ...clean, doubled: [{ subscriber: 'inventory' }] });
  });

  it('counts an order on back order as done, without pieces from its shelf', () => {
    const verdict = judge(
      evidence({
        pickLists: new Map([
          [customerKey(7), { picked: [1, 3], backOrdered: [4] }],
          [customerKey(8), { picked: [2], backOrdered: [] }],
        ]),
        shelves: new Map(evidence().shelves).set(shelfKey(4), 10),
      }),
    );
    expect(verdict).toMatchObject({ ...clean, effects: { inventory: 4 } });
  });

  it.each([
    ['too few', { orders: 0, pieces: 0, cents: 0 }, 'lost'],
    ['too many', { orders: 2, pieces: 4, cents: 2002 }, 'doubled'],
    ['the right number but too little money', { orders: 1, pieces: 2, cents: 1 }, 'lost'],
  ] as const)('sees a day of revenue with %s', (_, part, list) => {
    const key = dayKey('1997-01-01', 1);
    const verdict = judge(evidence({ revenue: new Map(evidence().revenue).set(key, part) }));
    expect(verdict).toMatchObject({ ...clean, [list]: [{ subscriber: 'analytics' }] });
  });

  it('sees revenue of a day on which nothing was sold', () => {
    const revenue = new Map(evidence().revenue).set('1999-01-01#0', { orders: 1, pieces: 1, cents: 1 });
    expect(judge(evidence({ revenue })).phantom).toEqual([
      expect.objectContaining({ subscriber: 'analytics' }),
    ]);
  });

  it('calls a second mail repeated, not doubled', () => {
    const { mails } = evidence();
    expect(judge(evidence({ mails: [...mails, mails[0]!] }))).toMatchObject({
      ...clean,
      repeated: [of('email', 1)],
    });
  });

  it('holds nothing against a publish that failed, unless it was taken all the same', () => {
    const without = (orderId: number) => ({
      charges: evidence().charges.filter((charge) => charge.orderId !== orderId),
      mails: evidence().mails.filter((mail) => mail.orderId !== orderId),
      assessments: evidence().assessments.filter((each) => each.orderId !== orderId),
      pickLists: new Map([
        [customerKey(7), { picked: [1, 3], backOrdered: [] }],
        [customerKey(8), { picked: [2], backOrdered: [] }],
      ]),
      shelves: new Map(evidence().shelves).set(shelfKey(orderId), 10),
      revenue: new Map([...evidence().revenue].filter(([key]) => key !== dayKey('1997-01-01', orderId))),
    });
    const uncertain = new Set([4]);
    expect(judge(evidence({ ...without(4), uncertain }))).toMatchObject({ ...clean, effects: { email: 3 } });
    expect(judge(evidence({ uncertain }))).toMatchObject({ ...clean, effects: { email: 4 } });
    const { mails } = evidence();
    const partly = judge(evidence({ ...without(4), uncertain, mails }));
    expect(partly.lost.map(({ subscriber }) => subscriber)).toEqual(
      expect.arrayContaining(['payments', 'inventory', 'analytics', 'fraud']),
    );
  });

  it('takes a dead letter for what it is: not done, not lost', () => {
    const verdict = judge(
      evidence({
        charges: evidence().charges.filter(({ orderId }) => orderId !== 3),
        deadLetters: [
          { subscriber: 'payments', reason: 'attempts', orderId: 3, body: '' },
          { subscriber: 'email', reason: 'undecodable', orderId: undefined, body: '' },
        ],
      }),
    );
    expect(verdict).toMatchObject(clean);
    expect(verdict.expectedEffects).toMatchObject({ payments: 3, email: 4 });
  });
});

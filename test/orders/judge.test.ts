import { describe, expect, it } from 'vitest';
import { type Evidence, judge } from '../../examples/orders/run/judge.ts';
import { customerKey, dayKey, mailAddress, shelfKey } from '../../examples/orders/tables.ts';
import type { Order } from '../../examples/orders/topology.ts';

const order = (orderId: number, customerId: number): Order => ({
  orderId,
  customerId,
  date: '1997-01-01',
  quantity: 2,
  amountCents: 1000 + orderId,
});
const sent = [order(1, 7), order(2, 8), order(3, 7), order(4, 7)];

const list = (ids: readonly number[], backOrdered = false) =>
  ids.map((orderId) => ({ orderId, backOrdered }));

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
      [customerKey(7), list([1, 3, 4])],
      [customerKey(8), list([2])],
    ]),
    shelves: new Map(sent.map(({ orderId }) => [shelfKey(orderId), 8])),
    shelvesBefore,
    revenue: new Map(
      sent.map(({ orderId, date, amountCents }) => [
        dayKey(date, orderId),
        { orders: 1, pieces: 2, cents: amountCents },
      ]),
    ),
    mails: sent.map(({ orderId, customerId }) => ({ orderId, to: mailAddress(customerId), at: 0 })),
    assessments: sent.map(({ orderId }) => ({ orderId, score: 1, at: 0 })),
    deadLetters: [],
    ...change,
  };
}

const clean = { lost: [], doubled: [], reordered: [], phantom: [], wrong: [], repeated: [] };
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
            [customerKey(7), list(picked)],
            [customerKey(8), list([2])],
          ]),
        }),
      );
    expect(lists([1, 4]).lost).toEqual([of('inventory', 3)]);
    expect(lists([1, 3, 3, 4]).doubled).toEqual([of('inventory', 3)]);
    expect(lists([1, 4, 3]).reordered).toEqual([of('inventory', 3)]);
    expect(lists([1, 2, 3, 4]).wrong).toEqual([of('inventory', 2)]);
    expect(lists([1, 3, 4, 99]).phantom).toEqual([of('inventory', 99)]);
  });

  it('sees a back order that was put before an earlier order of its customer', () => {
    const order = (entries: Evidence['pickLists']) =>
      judge(evidence({ pickLists: entries, shelves: new Map(evidence().shelves).set(shelfKey(3), 10) }));
    const others: readonly [string, ReturnType<typeof list>] = [customerKey(8), list([2])];
    const right = [...list([1]), ...list([3], true), ...list([4])];
    expect(order(new Map([others, [customerKey(7), right]]))).toMatchObject(clean);
    const early = [...list([3], true), ...list([1, 4])];
    expect(order(new Map([others, [customerKey(7), early]]))).toMatchObject({
      ...clean,
      reordered: [of('inventory', 1)],
    });
    const late = [...list([1, 4]), ...list([3], true)];
    expect(order(new Map([others, [customerKey(7), late]]))).toMatchObject({
      ...clean,
      reordered: [of('inventory', 3)],
    });
  });

  it.each([
    ['amount', { amountCents: 1 }],
    ['customer', { customerId: 99 }],
  ])('sees a charge with another %s than was sent', (_, change) => {
    const [first, ...others] = evidence().charges;
    const verdict = judge(evidence({ charges: [{ ...first!, ...change }, ...others] }));
    expect(verdict).toMatchObject({ ...clean, wrong: [of('payments', 1)] });
  });

  it('sees a mail to somebody else', () => {
    const [first, ...others] = evidence().mails;
    const verdict = judge(evidence({ mails: [{ ...first!, to: mailAddress(8) }, ...others] }));
    expect(verdict).toMatchObject({ ...clean, wrong: [of('email', 1)] });
  });

  it.each([
    [
      'charges',
      'payments',
      { key: 'k', orderId: 99, customerId: 7, amountCents: 1, outcome: 'charged', at: 0 },
    ],
    ['mails', 'email', { orderId: 99, to: 'x', at: 0 }],
    ['assessments', 'fraud', { orderId: 99, score: 0, at: 0 }],
  ] as const)('sees an order in the %s that was never sent', (store, subscriber, effect) => {
    const verdict = judge(evidence({ [store]: [...evidence()[store], effect] }));
    expect(verdict).toMatchObject({ ...clean, phantom: [of(subscriber, 99)] });
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
          [customerKey(7), [...list([1, 3]), ...list([4], true)]],
          [customerKey(8), list([2])],
        ]),
        shelves: new Map(evidence().shelves).set(shelfKey(4), 10),
      }),
    );
    expect(verdict).toMatchObject({ ...clean, effects: { inventory: 4 } });
  });

  it.each([
    ['too few', { orders: 0, pieces: 0, cents: 0 }, 'lost'],
    ['too many', { orders: 2, pieces: 4, cents: 2002 }, 'doubled'],
    ['the right number but too little money', { orders: 1, pieces: 2, cents: 1 }, 'wrong'],
    ['the right number but too many pieces', { orders: 1, pieces: 3, cents: 1001 }, 'wrong'],
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
        [customerKey(7), list([1, 3])],
        [customerKey(8), list([2])],
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

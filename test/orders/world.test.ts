import { afterEach, describe, expect, it } from 'vitest';
import { createFraudService } from '../../examples/orders/world/fraud.ts';
import { createMailServer } from '../../examples/orders/world/mail.ts';
import { createProvider } from '../../examples/orders/world/provider.ts';
import { startServers, type WorldServers } from '../../examples/orders/world/servers.ts';

const order = (orderId: number, amountCents = 1000) => ({ orderId, customerId: 1, amountCents });

function provider(time: { now: number } = { now: 0 }) {
  return createProvider({
    ratePerSecond: 900,
    declineFromCents: 25_000,
    brokenOrders: [13],
    now: () => time.now,
  });
}

describe('the payment provider charges once under one key, and says when it is full', () => {
  it('answers the same key with the same outcome, and writes it down once', () => {
    const { charge, ...rest } = provider();
    const world = provider();
    expect(charge('a', order(1))).toEqual({ status: 201, body: { outcome: 'charged' } });
    expect(charge('a', order(1))).toEqual({ status: 201, body: { outcome: 'charged' } });
    expect(rest.ledger).toHaveLength(1);
    world.charge('a', order(1));
    world.charge('a', order(1));
    expect(world.replays).toBe(1);
  });

  it('writes one order under two keys down twice', () => {
    const { charge, ledger } = provider();
    charge('a', order(1));
    charge('b', order(1));
    expect(ledger.map(({ key }) => key)).toEqual(['a', 'b']);
  });

  it('refuses a key that is used for another charge', () => {
    const { charge } = provider();
    charge('a', order(1));
    expect(charge('a', order(2)).status).toBe(409);
  });

  it('declines by its rule, as an outcome', () => {
    const { charge } = provider();
    expect(charge('a', order(1, 24_999)).body).toEqual({ outcome: 'charged' });
    expect(charge('b', order(2, 25_000))).toEqual({ status: 201, body: { outcome: 'declined' } });
    expect(charge('c', order(3, 0)).body).toEqual({ outcome: 'declined' });
  });

  it('cannot process the broken order, ever, and writes nothing down', () => {
    const { charge, ledger } = provider();
    for (let attempt = 0; attempt < 5; attempt++) expect(charge('a', order(13)).status).toBe(500);
    expect(ledger).toEqual([]);
  });

  it.each([
    [undefined, order(1)],
    ['a', undefined],
    ['a', { orderId: '1' }],
  ])('answers 400 to the key %s with %j', (key, body) => {
    expect(provider().charge(key, body).status).toBe(400);
  });

  it('takes 900 a second and spreads those that it sends away', () => {
    const time = { now: 0 };
    const { charge } = provider(time);
    let accepted = 0;
    for (; time.now < 2000; time.now++)
      for (let call = 0; call < 2; call++)
        if (charge(`${time.now}-${call}`, order(time.now * 2 + call + 100)).status === 201) accepted += 1;
    // The burst of a tenth of a second comes on top.
    expect(accepted).toBeGreaterThanOrEqual(1800);
    expect(accepted).toBeLessThanOrEqual(1800 + 90 + 1);

    const full = provider({ now: 0 });
    for (let call = 0; call < 90; call++) full.charge(`${call}`, order(call + 100));
    const waits = [1, 2, 90].map(() => Number(full.charge('x', order(1)).headers?.['retry-after-ms']));
    expect(waits).toEqual([2, 3, 4]);
    expect(full.charge('x', order(1)).headers?.['retry-after']).toBe('1');
    expect(full.refused).toBe(4);
  });
});

describe('systems without idempotency show what they are given', () => {
  it('sends a mail twice when it is given twice', () => {
    const { accept, outbox } = createMailServer(() => 5);
    const mail = { orderId: 1, to: 'a@example.com' };
    expect(accept(mail).status).toBe(202);
    accept(mail);
    expect(outbox).toEqual([
      { ...mail, at: 5 },
      { ...mail, at: 5 },
    ]);
    expect(accept({}).status).toBe(400);
  });

  it('assesses no order while it is down', () => {
    const fraud = createFraudService(() => 5);
    fraud.setDown(true);
    expect(fraud.assess(1, order(1)).status).toBe(503);
    fraud.setDown(false);
    expect(fraud.assess(1, order(1)).status).toBe(200);
    expect(fraud.log).toHaveLength(1);
    expect(fraud.refused).toBe(1);
  });
});

describe('the systems outside are servers of their own', () => {
  let servers: WorldServers | undefined;
  afterEach(async () => {
    await servers?.close();
  });

  it('answers over HTTP and shows its ledgers', async () => {
    servers = await startServers({
      ratePerSecond: 900,
      declineFromCents: 25_000,
      brokenOrders: [],
      providerMs: 0,
    });
    const { urls } = servers;
    const send = (method: string, url: string, body: unknown, headers = {}) =>
      fetch(url, { method, body: JSON.stringify(body), headers });
    const charged = await send('POST', `${urls.provider}/charges`, order(1), { 'idempotency-key': 'a' });
    expect([charged.status, await charged.json()]).toEqual([201, { outcome: 'charged' }]);
    expect((await send('POST', `${urls.mail}/mails`, { orderId: 1, to: 'a' })).status).toBe(202);
    servers.setFraudDown(true);
    expect((await send('PUT', `${urls.fraud}/assessments/1`, order(1))).status).toBe(503);
    expect((await fetch(`${urls.fraud}/nothing`)).status).toBe(404);
    expect((await send('POST', `${urls.mail}/mails`, 'no mail')).status).toBe(400);
    const ledger = await (await fetch(`${urls.provider}/ledger`)).json();
    expect(ledger).toMatchObject({ charges: [{ key: 'a', orderId: 1 }], replays: 0, refused: 0 });
    expect(await (await fetch(`${urls.mail}/ledger`)).json()).toMatchObject({ mails: [{ orderId: 1 }] });
    expect(await (await fetch(`${urls.fraud}/ledger`)).json()).toMatchObject({ assessments: [] });
  });
});

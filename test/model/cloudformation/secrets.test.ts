import { describe, expect, it } from 'vitest';
import { prepareThings, things } from './things.ts';

const template = things(
  { A: { Value: { 'Fn::Sub': `key=\${Secret}` } } },
  { Parameters: { Secret: { Type: 'String', NoEcho: true, AllowedPattern: '[^!]*' } } },
);
const given = (ParameterValue: string) => ({
  Parameters: [{ ParameterKey: 'Secret', ParameterValue }],
});

/** Everything that the API shows of the stack but its outputs. */
async function shownOf({ call }: ReturnType<typeof prepareThings>): Promise<string> {
  const StackName = 'Shop';
  return JSON.stringify([
    await call('DescribeStacks', { StackName }),
    await call('DescribeStackEvents', { StackName }),
    await call('DescribeEvents', { StackName }),
  ]);
}

describe('The value of a NoEcho parameter is shown to nobody', () => {
  it('neither the one that was, nor the one that is', async () => {
    const shop = prepareThings();
    await shop.create(template, given('first-secret'));
    await shop.update(template, given('second-secret'));
    const shown = await shownOf(shop);
    expect(shop.things.get('A-1')?.Value).toBe('key=second-secret');
    expect(shown).toContain('key=****');
    expect(shown).not.toMatch(/(first|second)-secret/);
  });

  it('nor one of an update that was taken back', async () => {
    const shop = prepareThings();
    await shop.create(template, given('first-secret'));
    shop.failing.set('update A', 'once');
    await shop.update(template, given('second-secret'));
    expect(await shop.status()).toBe('UPDATE_ROLLBACK_COMPLETE');
    expect(await shownOf(shop)).not.toMatch(/(first|second)-secret/);
  });

  it('also when JSON writes it otherwise', async () => {
    const shop = prepareThings();
    await shop.create(template, given('begin"quoted\\and\nbroken'));
    const { Changes } = await shop.look(template, given('other"quoted'));
    const shown = (await shownOf(shop)) + JSON.stringify(Changes);
    expect(shown).toContain('key=****');
    expect(shown).not.toContain('quoted');
  });

  it('nor one that is refused', async () => {
    const { create } = prepareThings();
    const refused = create(template, given('wrong!'));
    await expect(refused).rejects.toThrow('Parameter Secret is "****": it has to match [^!]*');
  });

  it('and what surrounds it stays readable', async () => {
    const shop = prepareThings();
    await shop.create(template, given('a'));
    const { StackEvents } = await shop.call<{ StackEvents: { ResourceProperties?: string }[] }>(
      'DescribeStackEvents',
      { StackName: 'Shop' },
    );
    const written = StackEvents.flatMap(({ ResourceProperties }) => ResourceProperties ?? []);
    expect(written.map((text) => JSON.parse(text))).toContainEqual({ Value: 'key=****', Label: 'A' });
  });
});

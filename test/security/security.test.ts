import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { securityPage } from './page.ts';
import type { Right } from './rights.ts';
import { facts } from './stacks.ts';
import { explained, hasWildcard } from './wildcards.ts';

const found = facts();
const all = [
  ['with AWS’s own keys', found.standard],
  ['with a customer key', found.withKey],
] as const;

const say = ({ policy, effect, who, actions, on }: Right) =>
  `${policy}: ${effect} ${who} ${actions.join(', ')} on ${on.join(', ')}`;

describe.each(all)('A security reviewer can sign the stack, %s', (_, rights) => {
  it('no statement has a wildcard without a reason', () => {
    const bare = rights.filter(
      (right) => hasWildcard(right) && !explained.some(({ matches }) => matches(right)),
    );
    expect(bare.map(say)).toEqual([]);
  });

  it('a role is given to one function, and only Lambda may take it', () => {
    const holders = new Map<string, Set<string>>();
    for (const { kind, policy, who } of rights)
      if (kind === 'role') holders.set(policy, (holders.get(policy) ?? new Set()).add(who));
    for (const [policy, who] of holders) {
      expect([...who], policy).toHaveLength(1);
      expect([...who][0], policy).toMatch(/^function [^,]+$/);
    }
    expect(new Set(rights.filter(({ kind }) => kind === 'trust').map(({ who }) => who))).toEqual(
      new Set(['service lambda.amazonaws.com']),
    );
  });

  it('a function touches its own queue, its own dead-letter queue, its own log and the tables, nothing else', () => {
    for (const right of rights) {
      if (right.kind !== 'role') continue;
      const subscriber = /^function (\w+Subscriber)\//.exec(right.who)?.[1];
      for (const resource of right.on) {
        const own = resource.startsWith(`${subscriber}/`);
        const shared = /^(Records\/Table|Stock|Revenue|.*Key)$/.test(resource);
        expect(own || shared, say(right)).toBe(true);
      }
    }
  });

  it('only the topic may send to a queue, and only from its own ARN', () => {
    for (const right of rights) {
      if (right.kind !== 'queue' || right.effect === 'Deny') continue;
      expect(right.who, say(right)).toBe('service sns.amazonaws.com');
      expect(right.actions, say(right)).toEqual(['sqs:SendMessage']);
      expect(
        right.when.some((each) => each.startsWith('aws:SourceArn ArnEquals OrdersTopic/Topic')),
        say(right),
      ).toBe(true);
    }
  });

  it('every queue and topic refuses what comes without TLS', () => {
    const secured = rights
      .filter(({ effect, when }) => effect === 'Deny' && when.includes('aws:SecureTransport Bool false'))
      .flatMap(({ on }) => on);
    const guarded = rights.filter(({ kind }) => kind === 'queue' || kind === 'topic').flatMap(({ on }) => on);
    expect(new Set(secured)).toEqual(new Set(guarded));
    expect(new Set(secured).size).toBe(1 + 5 * 3);
  });
});

describe('The page for reviewers', () => {
  it('docs/security.md is what the templates say (npm run security writes it)', () => {
    const page = readFileSync(fileURLToPath(new URL('../../docs/security.md', import.meta.url)), 'utf8');
    expect(page).toBe(securityPage(found));
  });
});

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import * as rules from '../../lib/rules/index.ts';
import { catalogue, isRuleId } from '../../lib/rules/index.ts';
import { rulesPage } from './page.ts';

describe('The catalogue of rules', () => {
  it.each(catalogue().map((rule) => [rule.id, rule] as const))(
    '%s says all that a reader needs',
    (id, rule) => {
      expect(id).toMatch(/^[a-z]+(-[a-z]+)*$/);
      expect(rule.condition).toMatch(/^[A-Z].*\.$/);
      expect(rule.remedy).toMatch(/^[A-Z].*\.$/);
      expect(rule.why).toMatch(/^[A-Z].*\.$/);
      // They stand in the middle of a sentence.
      expect(rule.allowed).toMatch(/[^.]$/);
      expect(rule.source).toMatch(
        /^(SQS|SNS|Lambda|CloudWatch|CloudFormation|DynamoDB) .*"|^law of this package: /,
      );
      expect(rule.subjects.length).toBeGreaterThan(0);
    },
  );

  it('knows its own ids, and no others', () => {
    expect(isRuleId('dead-letter-retention')).toBe(true);
    for (const other of ['', 'constructor', 'dead-letter']) expect(isRuleId(other)).toBe(false);
  });

  it('docs/rules.md is what `npm run rules` writes', () => {
    const page = readFileSync(fileURLToPath(new URL('../../docs/rules.md', import.meta.url)), 'utf8');
    expect(page).toBe(rulesPage());
  });
});

describe('A quota', () => {
  it('has a source and a date', () => {
    const quotas = Object.values(rules).filter((value) => typeof value === 'object' && 'asOf' in value);
    expect(quotas.length).toBeGreaterThan(40);
    for (const quota of quotas)
      expect(quota).toEqual({
        value: expect.any(Number),
        unit: expect.stringMatching(/./),
        source: expect.stringMatching(/".+"/),
        asOf: expect.stringMatching(/^\d{4}-\d{2}$/),
      });
  });
});

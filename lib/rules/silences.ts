import type { RuleTable } from './rule.ts';

/** Rules on the silences themselves; they are judged where silences are read, in lib/constructs/check. */
export const silenceRules = {
  'silence-reason': {
    severity: 'error',
    condition: 'A rule is silenced without a reason.',
    allowed: 'a reason with every silence',
    remedy: 'Say why, and until when.',
    why: 'What is silenced without a reason is silenced for ever: nobody knows when it may end.',
    source: 'law of this package: docs/rules.md',
    subjects: ['stack'],
  },
  'silenced-rule': {
    severity: 'error',
    condition: 'A silence names a rule that does not exist.',
    allowed: 'an id of this page',
    remedy: 'Correct the id, or take the silence away.',
    why: 'It silences nothing; and whoever reads it believes that somebody looked at a fault that nobody was ever told.',
    source: 'law of this package: docs/rules.md',
    subjects: ['stack'],
  },
} as const satisfies RuleTable;

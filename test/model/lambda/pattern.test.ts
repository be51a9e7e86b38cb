import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { faultOf, matches, type Pattern } from '../../../local/lambda/pattern.ts';

describe('A filter pattern of an event source matches as EventBridge has it', () => {
  it.each<[string, Pattern, unknown, boolean]>([
    ['an equal value', { a: ['x'] }, { a: 'x' }, true],
    ['one of several', { a: ['x', 1, null] }, { a: 1 }, true],
    ['null only when it is there', { a: [null] }, {}, false],
    ['no other type', { a: ['1'] }, { a: 1 }, false],
    ['every field', { a: ['x'], b: ['y'] }, { a: 'x', b: 'z' }, false],
    ['nested fields', { a: { b: ['x'] } }, { a: { b: 'x' } }, true],
    ['an element of a list', { a: ['x'] }, { a: ['y', 'x'] }, true],
    ['a prefix', { a: [{ prefix: 'or' }] }, { a: 'order' }, true],
    ['a suffix', { a: [{ suffix: 'der' }] }, { a: 'order' }, true],
    ['a suffix elsewhere', { a: [{ suffix: 'or' }] }, { a: 'order' }, false],
    ['whatever the case', { a: [{ 'equals-ignore-case': 'ORDER' }] }, { a: 'order' }, true],
    ['anything but', { a: [{ 'anything-but': ['x', 'y'] }] }, { a: 'z' }, true],
    ['anything but that', { a: [{ 'anything-but': ['x', 'y'] }] }, { a: 'x' }, false],
    ['anything but a prefix', { a: [{ 'anything-but': { prefix: 'or' } }] }, { a: 'order' }, false],
    ['anything but, of what is not there', { a: [{ 'anything-but': 'x' }] }, {}, false],
    ['a number in a range', { a: [{ numeric: ['>', 0, '<=', 5] }] }, { a: 5 }, true],
    ['a number outside', { a: [{ numeric: ['>', 0, '<=', 5] }] }, { a: 0 }, false],
    ['a text in a range of numbers', { a: [{ numeric: ['>', 0] }] }, { a: '5' }, false],
    ['what exists', { a: [{ exists: true }] }, { a: null }, true],
    ['what does not', { a: [{ exists: false }] }, { b: 1 }, true],
    ['either branch', { $or: [{ a: ['x'] }, { b: ['y'] }] }, { b: 'y' }, true],
    ['neither branch', { $or: [{ a: ['x'] }, { b: ['y'] }] }, { a: 'y' }, false],
  ])('%s', (_name, pattern, value, expected) => {
    expect(faultOf(pattern)).toBeUndefined();
    expect(matches(pattern, value)).toBe(expected);
  });

  it('a value matches the pattern that lists it, and the opposite one never', () => {
    const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean());
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.string({ minLength: 1 }).filter((name) => name !== '$or'),
          scalar,
          { minKeys: 1 },
        ),
        (value) => {
          const listing = Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, [entry]]));
          const opposite = Object.fromEntries(
            Object.entries(value).map(([name, entry]) => [name, [{ 'anything-but': [entry] }]]),
          );
          expect([matches(listing, value), matches(opposite, value)]).toEqual([true, false]);
        },
      ),
      { numRuns: 200 },
    );
  });

  it.each([
    ['a text', 'x'],
    ['a field without a list', { a: 'x' }],
    ['an empty list', { a: [] }],
    ['an unknown rule', { a: [{ like: 'x' }] }],
    ['an $or of one', { $or: [{ a: ['x'] }] }],
    ['a fault inside $or', { $or: [{ a: ['x'] }, { b: 1 }] }],
  ])('refuses %s', (_name, pattern) => {
    expect(faultOf(pattern)).toEqual(expect.any(String));
  });
});

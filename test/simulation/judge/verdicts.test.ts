import { describe, expect, test } from 'vitest';
import { judge, type SubscriberEvidence } from '../../../ops/simulation/judge/index.ts';
import { effects, letterOf, message, subscriber } from './evidence.ts';

const a1 = message('a1', 'a');
const b1 = message('b1', 'b', { fate: 'letter', reasons: ['permanent', 'attempts'] });
const a2 = message('a2', 'a');
const b2 = message('b2', 'b');
const poison = message('poison', 'a', { fate: 'letter', reasons: ['undecodable'], body: 'no event' });

const clean = subscriber({
  sent: [a1, b1, poison, a2, b2],
  happened: effects('a1', 'b2', 'a2'),
  letters: [letterOf(b1), letterOf(poison, 'undecodable')],
});

/** What the judge says of one subscriber: kind and id of each violation. */
const said = (evidence: Partial<SubscriberEvidence>): string[] =>
  judge({ subscribers: [{ ...clean, ...evidence }] }).map(({ kind, id }) => `${kind} ${id ?? ''}`.trim());

describe('each broken promise has its verdict, and only that', () => {
  const others = clean.letters.slice(1);
  const [letter] = clean.letters as [ReturnType<typeof letterOf>];
  const without = (name: string) => ({
    ...letter,
    attributes: Object.fromEntries(Object.entries(letter.attributes).filter(([key]) => key !== name)),
  });

  test.each<[string, Partial<SubscriberEvidence>, string[]]>([
    ['all kept', {}, []],
    ['copies of a letter', { letters: [...clean.letters, ...clean.letters] }, []],
    ['an event was sent twice', { sent: [...clean.sent, { ...a1, body: `${a1.body} ` }] }, []],
    ['an effect is missing', { happened: effects('a1', 'b2') }, ['lost a2']],
    ['a letter is missing', { letters: others }, ['lost b1']],
    ['the letter of a body that is no event is missing', { letters: [letter] }, ['lost poison']],
    ['an effect happened twice', { happened: effects('a1', 'b2', 'a2', 'a1') }, ['doubled a1']],
    ['nobody sent it', { happened: effects('a1', 'b2', 'a2', 'c1') }, ['phantom c1']],
    ['what must fail was done', { happened: effects('a1', 'b1', 'b2', 'a2') }, ['phantom b1']],
    ['the later came first', { happened: effects('a2', 'b2', 'a1') }, ['reordered a1']],
    ['order on a standard queue', { happened: effects('a2', 'b2', 'a1'), fifo: false }, []],
    ['a message is left', { happened: effects('a1', 'b2'), waiting: 1, waitingGroups: ['a'] }, ['stuck a2']],
    ['a message is left on a standard queue', { fifo: false, waiting: 1 }, ['stuck']],
    ['a message without a group is left', { waiting: 1 }, ['stuck']],
    [
      'one waits and one is lost',
      { happened: effects('b2'), waiting: 1, waitingGroups: ['a'] },
      ['lost', 'stuck a1'],
    ],
    ['a group is parked where none is', { parkedGroups: ['b'] }, ['parked']],
    ['a letter that nobody sent', { letters: [...clean.letters, { ...letter, body: '{}' }] }, ['letter']],
    ['another body', { letters: [{ ...letter, body: `${letter.body} ` }, ...others] }, ['letter b1']],
    ['another group', { letters: [{ ...letter, group: 'a' }, ...others] }, ['letter b1']],
    ['an original attribute is lost', { letters: [without('type'), ...others] }, ['letter b1']],
    ['no reason', { letters: [without('sluice-reason'), ...others] }, ['letter b1']],
    ['no attempts', { letters: [without('sluice-attempts'), ...others] }, ['letter b1']],
    ['no moment', { letters: [without('sluice-failed-at'), ...others] }, ['letter b1']],
    ['no error', { letters: [without('sluice-error'), ...others] }, ['letter b1']],
    ['not everything is told', { letters: [without('sluice-failure'), ...others] }, ['letter b1']],
    ['another reason', { letters: [letterOf(b1, 'schema'), ...others] }, ['letter b1']],
    [
      'what could have been done',
      { happened: effects('a1', 'b2'), letters: [...clean.letters, letterOf(a2)] },
      ['letter a2'],
    ],
    ['done and dead-lettered', { letters: [...clean.letters, letterOf(a2)] }, ['letter a2']],
  ])('%s', (_name, change, verdicts) => {
    expect(said(change)).toEqual(verdicts);
  });

  test('what the letter says may be packed into one attribute, and give way where there is no room', () => {
    const nine = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`n${index}`, 'x']));
    const full = message('f1', 'f', { fate: 'letter', attributes: nine });
    const moment = '2026-01-01T00:00:00Z';
    const facts = {
      ...{ reason: 'permanent', attempts: 1, failedAt: moment, firstFailedAt: moment },
      ...{ subscriber: 'stock', class: 'Error', message: 'no' },
    };
    const packed = letterOf(full, '', { attributes: { ...nine, 'sluice-failure': JSON.stringify(facts) } });
    const evidence = { sent: [full], happened: [] };
    expect(said({ ...evidence, letters: [packed] })).toEqual([]);
    expect(said({ ...evidence, letters: [{ ...packed, attributes: nine }] })).toEqual(['letter f1']);
    const crowded = { ...nine, n9: 'x' };
    const most = { ...full, attributes: crowded };
    expect(
      said({ sent: [most], happened: [], letters: [letterOf(most, '', { attributes: crowded })] }),
    ).toEqual([]);
  });

  test('two sources may use one id, and have an effect each', () => {
    const other = message('a1', 'z', { source: 'till' });
    const sent = [...clean.sent, other];
    expect(said({ sent, happened: effects('a1', 'b2', 'a2', 'a1') })).toEqual([]);
    expect(said({ sent })).toEqual(['lost a1']);
    expect(said({ sent, happened: effects('a1', 'b2', 'a2', 'a1', 'a1') })).toEqual(['doubled a1']);
  });

  test('another payload under a name that is taken has its own letter', () => {
    const other = { ...a1, body: '{"other":1}', fate: 'letter' as const, reasons: ['conflict'] };
    const sent = [...clean.sent, other];
    expect(said({ sent })).toEqual(['lost a1']);
    expect(said({ sent, letters: [...clean.letters, letterOf(other, 'conflict')] })).toEqual([]);
    expect(
      said({
        sent,
        happened: effects('a1', 'b2', 'a2', 'a1'),
        letters: [...clean.letters, letterOf(other, 'conflict')],
      }),
    ).toEqual(['doubled a1']);
  });
});

describe('a group that halts', () => {
  const sent = [a1, b1, a2, b2];
  const parked = {
    sent,
    onDeadLetter: 'halt' as const,
    happened: effects('a1', 'a2'),
    letters: [letterOf(b1)],
    waiting: 1,
    waitingGroups: ['b'],
    parkedGroups: ['b'],
  };

  test.each<[string, Partial<SubscriberEvidence>, string[]]>([
    ['its later events wait behind the letter', {}, []],
    [
      'goes on behind the letter',
      { happened: effects('a1', 'a2', 'b2'), waiting: 0, waitingGroups: [] },
      ['reordered b2'],
    ],
    [
      'goes on, and nothing is parked',
      { happened: effects('a1', 'a2', 'b2'), waiting: 0, waitingGroups: [], parkedGroups: [] },
      ['reordered b2'],
    ],
    [
      'was lifted',
      {
        happened: effects('a1', 'a2', 'b2'),
        waiting: 0,
        waitingGroups: [],
        parkedGroups: [],
        liftedGroups: ['b'],
      },
      [],
    ],
    ['loses what waited', { waiting: 0, waitingGroups: [] }, ['lost b2']],
    ['waits, and is not parked', { parkedGroups: [] }, ['stuck b2']],
    [
      'is parked without a letter',
      { letters: [], parkedGroups: ['b'], waiting: 2, waitingGroups: ['b', 'b'] },
      ['parked'],
    ],
    [
      'has a letter again after it was lifted',
      {
        sent: [...sent, message('b3', 'b', { fate: 'letter' }), message('b4', 'b')],
        happened: effects('a1', 'a2', 'b2', 'b4'),
        letters: [letterOf(b1), letterOf(message('b3', 'b'))],
        liftedGroups: ['b'],
        waiting: 0,
        waitingGroups: [],
      },
      ['reordered b4'],
    ],
  ])('%s', (_name, change, verdicts) => {
    expect(said({ ...parked, ...change })).toEqual(verdicts);
  });
});

describe('each posture is judged by what it promises', () => {
  const keyed = { ...a1, effect: 'keyed' as const, fate: 'either' as const };
  const unkeyed = { ...a1, effect: 'unkeyed' as const };
  const twice = effects('a1', 'a1');
  const once = effects('a1');
  const attempts = (sent: typeof a1) => [letterOf(sent, 'attempts')];
  const either = { ...a1, fate: 'either' as const };

  test.each<[string, Partial<SubscriberEvidence>, string[]]>([
    ['exactlyOnceEffect, keyed: twice', { sent: [keyed], happened: twice }, ['doubled a1']],
    [
      'exactlyOnceEffect, keyed: effect and letter',
      { sent: [keyed], happened: once, letters: attempts(keyed) },
      [],
    ],
    [
      'exactlyOnceEffect, in a transaction: effect and letter',
      { sent: [either], happened: once, letters: attempts(a1) },
      ['letter a1'],
    ],
    [
      'exactlyOnceEffect, in a transaction: effect and letter of an event that was sent again',
      { sent: [either, { ...either }], happened: once, letters: attempts(a1) },
      [],
    ],
    [
      'exactlyOnceEffect, in a transaction: letter',
      { sent: [either], happened: [], letters: attempts(a1) },
      [],
    ],
    ['exactlyOnceEffect, unkeyed: twice', { sent: [unkeyed], happened: twice }, []],
    ['exactlyOnceEffect, unkeyed: lost', { sent: [unkeyed], happened: [] }, ['lost a1']],
    [
      '... parking the unknown: twice',
      { sent: [unkeyed], happened: twice, onUnknownOutcome: 'park' },
      ['doubled a1'],
    ],
    [
      '... parking the unknown: effect and letter',
      {
        sent: [unkeyed],
        happened: once,
        letters: [letterOf(a1, 'unknown-outcome')],
        onUnknownOutcome: 'park',
      },
      [],
    ],
    [
      '... retrying the unknown: a letter',
      { sent: [{ ...unkeyed, fate: 'either' }], happened: once, letters: [letterOf(a1, 'unknown-outcome')] },
      ['letter a1'],
    ],
    ['transactional: twice', { effects: 'transactional', sent: [a1], happened: twice }, ['doubled a1']],
    [
      'transactional: effect and letter',
      { effects: 'transactional', sent: [either], happened: once, letters: attempts(a1) },
      ['letter a1'],
    ],
    ['atLeastOnce: twice', { effects: 'atLeastOnce', sent: [keyed], happened: twice }, []],
    ['atLeastOnce: lost', { effects: 'atLeastOnce', sent: [keyed], happened: [] }, ['lost a1']],
    [
      'atLeastOnce: repeats do not reorder',
      { effects: 'atLeastOnce', sent: [a1, a2], happened: effects('a1', 'a2', 'a1', 'a2') },
      [],
    ],
    [
      'atLeastOnce: reordered',
      { effects: 'atLeastOnce', sent: [a1, a2], happened: effects('a2', 'a1') },
      ['reordered a1'],
    ],
    ['atMostOnce: twice', { effects: 'atMostOnce', sent: [unkeyed], happened: twice }, ['doubled a1']],
    ['atMostOnce: lost', { effects: 'atMostOnce', sent: [unkeyed], happened: [] }, []],
    [
      'atMostOnce: a try that failed',
      { effects: 'atMostOnce', sent: [unkeyed], happened: [], letters: attempts(a1) },
      [],
    ],
    [
      'atMostOnce: refused unread',
      { effects: 'atMostOnce', sent: [unkeyed], happened: [], letters: [letterOf(a1, 'schema')] },
      ['letter a1'],
    ],
    [
      'atMostOnce: what was never begun is lost',
      { effects: 'atMostOnce', sent: [poison], happened: [], letters: [] },
      ['lost poison'],
    ],
  ])('%s', (_name, change, verdicts) => {
    expect(said({ letters: [], ...change })).toEqual(verdicts);
  });
});

describe('a sequence guard', () => {
  const sent = ['9', '10', '11'].map((sequence) => message(`s${sequence}`, 'a', { sequence }));
  const guarded = { sent, fifo: false, sequenceGuard: true, letters: [] };

  test.each<[string, Partial<SubscriberEvidence>, string[]]>([
    ['drops what is older', { happened: effects('s10', 's11') }, []],
    ['may drop all but the newest', { happened: effects('s11') }, []],
    ['never drops the newest', { happened: effects('s9', 's10') }, ['lost s11']],
    ['never applies what is older', { happened: effects('s10', 's9', 's11') }, ['reordered s9']],
    ['is not asked for', { happened: effects('s10', 's9', 's11'), sequenceGuard: false }, []],
    [
      'knows no order outside of a transaction',
      { sent: sent.map((each) => ({ ...each, effect: 'keyed' })), happened: effects('s10', 's9', 's11') },
      [],
    ],
  ])('%s', (_name, change, verdicts) => {
    expect(said({ ...guarded, ...change })).toEqual(verdicts);
  });
});

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { judge } from './judge.ts';
import { readReport } from './report.ts';
import { section, sectionFile } from './section.ts';

const one = (name: string, contents = '', place = 'tests.aws.services.sqs.test_sqs.TestSqsProvider') =>
  `<testcase classname="${place}" name="${name}" time="0.1"${contents === '' ? ' />' : `>${contents}</testcase>`}`;

const xml = `<testsuites><testsuite>${[
  one('test_a[sqs]'),
  one('test_a[sqs_query]', '<failure message="no">trace</failure>'),
  one('test_b', '<skipped message="later" />'),
  one('test_c[{&quot;a&quot;: 1}]'),
  one('test_c[{&quot;a&quot;: 1}]', '<error message="at its end" />'),
  one('test_get', '', 'tests.aws.services.sqs.test_sqs.TestSqsQueryApi'),
  one('test_move', '', 'tests.aws.services.sqs.test_sqs_move_task'),
].join('')}</testsuite></testsuites>`;

describe('a report of the recorded tests is read and compared with what is known', () => {
  it('reads file, protocol and outcome; who fails at its end has failed', () => {
    expect(readReport(xml).map(({ file, protocol, outcome }) => `${file} ${protocol} ${outcome}`)).toEqual([
      'test_sqs.py JSON passed',
      'test_sqs.py query failed',
      'test_sqs.py JSON skipped',
      'test_sqs.py JSON failed',
      'test_sqs.py query passed',
      'test_sqs_move_task.py JSON passed',
    ]);
  });

  const table = [
    { file: 'test_sqs.py', protocol: 'JSON', passed: 1, leftOut: 1, skipped: 1 },
    { file: 'test_sqs.py', protocol: 'query', passed: 1, leftOut: 1, skipped: 0 },
    { file: 'test_sqs_move_task.py', protocol: 'JSON', passed: 1, leftOut: 0, skipped: 0 },
  ];
  const known = [
    { test: 'test_a', reason: '' },
    { test: 'test_c', reason: '' },
  ];

  it('is surprised by a failure that is not in the table', () => {
    const { counts, surprises } = judge(readReport(xml), known.slice(1), table);
    expect(counts).toEqual(table);
    expect(surprises).toEqual(['test_sqs.py test_a[sqs_query] failed.']);
  });

  it('is surprised by a pass of what is left out', () => {
    expect(judge(readReport(xml), known, table).surprises).toEqual([
      'test_sqs.py test_a[sqs] passed, and is left out.',
    ]);
  });

  it('is surprised by other counts', () => {
    const some = readReport(xml).filter(({ name }) => !name.startsWith('test_a'));
    expect(judge(some, known, table).surprises).toEqual([
      'The counts are not those of the table: tests were added or went missing.',
    ]);
  });
});

describe('the page shows what is known of the recorded tests', () => {
  it('suites/recorded.md is the table of known.ts (if not: npm run conformance:recorded -- --page)', () => {
    expect(readFileSync(sectionFile, 'utf8')).toBe(section());
  });
});

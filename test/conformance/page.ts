import type { CaseGroup, ConformanceCase } from './case.ts';
import type { RecordedCase, ServerRecord } from './results.ts';

/** How LocalStack's tests that were recorded on AWS go on a server: `npm run conformance` does not play them. */
export interface RecordedSuite {
  readonly name: string;
  readonly table: string;
}

type Status = RecordedCase['status'] | 'missing';

const mark: Readonly<Record<Status, string>> = {
  pass: 'pass',
  differs: '**differs**',
  unsupported: '–',
  missing: '?',
};

const cell = (text: string): string =>
  text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('\n', ' ');

const plural = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;

/**
 * docs/conformance.md, of the cases of today and what is kept of each server.
 *
 * @param records - in the order of the columns
 * @param suites - sections of their own, as they are
 */
export function conformancePage(
  groups: readonly CaseGroup[],
  records: readonly ServerRecord[],
  suites: readonly RecordedSuite[] = [],
): string {
  const cases = groups.reduce((sum, { cases: own }) => sum + own.length, 0);
  const columns = records.map((record) => ({
    ...record,
    byId: new Map(record.cases.map((each) => [each.id, each])),
  }));
  const statusOf = (column: (typeof columns)[number], id: string): Status =>
    column.byId.get(id)?.status ?? 'missing';
  const idOf = (group: CaseGroup, one: ConformanceCase) => `${group.name}/${one.name}`;

  const summary = () => {
    const head = `| group | cases | ${columns.map(({ server }) => server).join(' | ')} |`;
    const line = `|---|---|${columns.map(() => '---').join('|')}|`;
    const counted = (own: readonly string[]) =>
      columns.map((column) => {
        const count = (wanted: Status) => own.filter((id) => statusOf(column, id) === wanted).length;
        const parts = [
          `${count('pass')}`,
          ...(count('differs') > 0 ? [`${count('differs')} differ`] : []),
          ...(count('unsupported') > 0 ? [`${count('unsupported')} –`] : []),
          ...(count('missing') > 0 ? [`${count('missing')} ?`] : []),
        ];
        return parts.join(', ');
      });
    const rows = groups.map((group) => {
      const ids = group.cases.map((one) => idOf(group, one));
      return `| [${group.name}](#${group.name}) | ${ids.length} | ${counted(ids).join(' | ')} |`;
    });
    const all = groups.flatMap((group) => group.cases.map((one) => idOf(group, one)));
    return [head, line, ...rows, `| **all** | **${all.length}** | ${counted(all).join(' | ')} |`].join('\n');
  };

  const section = (group: CaseGroup) => {
    const head = `| case | ${columns.map(({ server }) => server).join(' | ')} |`;
    const line = `|---|${columns.map(() => '---').join('|')}|`;
    const rows = group.cases.map((one) => {
      const id = idOf(group, one);
      const title = `${one.title}${one.hours ? ' *(hours)*' : ''}`;
      return `| ${cell(title)} | ${columns.map((column) => mark[statusOf(column, id)]).join(' | ')} |`;
    });
    const differences = group.cases.flatMap((one) =>
      columns.flatMap(({ server, byId }) => {
        const found = byId.get(idOf(group, one));
        return found?.status === 'differs' ? [`- \`${one.name}\`, ${server}: ${cell(found.note)}`] : [];
      }),
    );
    const sources = group.cases.map(
      ({ name, source }) => `- \`${name}\`: ${cell(source.page)}: ${cell(source.says)}.`,
    );
    const conflicts = group.cases.flatMap(({ name, source }) =>
      source.conflict === undefined ? [] : [`- \`${name}\`: ${cell(source.conflict)}`],
    );
    return [
      `### ${group.name}`,
      '',
      `${group.title}: ${plural(group.cases.length, 'case')}.`,
      '',
      ...folded('The cases, server by server', [head, line, ...rows]),
      ...folded(`What differs: ${differences.length}`, differences),
      ...folded('What each case rests on', sources),
      ...folded(`Where sources conflict or are silent: ${conflicts.length}`, conflicts),
    ].join('\n');
  };

  const servers = columns.map(
    ({ server, version, date, cases: own }) => `| ${server} | ${cell(version)} | ${date} | ${own.length} |`,
  );
  return `# Conformance

What this stack expects of AWS, as ${cases} cases that each rest on a sentence of AWS's documentation, or on what AWS was seen to
answer; and how the servers that stand in for AWS on a laptop do in them. The same cases are played on each through the AWS SDK, over
HTTP. The embedded model has to pass all of them: every case is a test of \`npm test\`.

This page is written by \`npm run conformance -- --page\` from the results in \`test/conformance/results\`; a test compares it with them.

- **pass**: the server does what the case says.
- **differs**: it does something else. Each difference is told in a line below its group.
- **–**: not supported: the server has not got the service or the action, or the case takes hours.
- **?**: the case is newer than the results that are kept of the server.
- *(hours)* marks a case in which minutes or hours pass: it is played where the clock can be driven, on the model.

| server | version | played | cases |
|---|---|---|---|
${servers.join('\n')}

${
  columns.some(({ server }) => server === 'aws')
    ? 'AWS itself has a column of its own.'
    : `**What was not run:** AWS itself. \`npm run conformance -- --server aws --profile P\` does it: it says what that makes and costs at most, asks,
tags everything, and removes it. Until somebody does, the documentation is the judge; where it is silent or at odds with itself, the
case says what the model does and why.`
}

## Summary

Cases that pass; after them those that differ, and those that are not supported (–).

${summary()}

A server is not worse because its numbers are smaller: it may be meant for something else.

## To repeat it

\`\`\`sh
npm run conformance -- --server model
npm run conformance -- --server ministack
npm run conformance -- --server localstack --only lambda
npm run --silent conformance -- --server moto --json
npm run conformance -- --server fauxqs --endpoint http://127.0.0.1:4566
npm run conformance -- --all --record
npm run conformance -- --compare ministack --runs 200
\`\`\`

A server is installed the first time, started, played and stopped, unless one that runs already is named. \`--only\` takes the beginning of
groups’ names; \`--json\` prints \`{ server, cases: [{ id, group, status, note }] }\`, and nothing else when \`npm run --silent\` keeps npm’s own
lines away; \`--all --record\` plays every server in turn and writes this
page; \`--compare\` plays random operations on the model and a server side by side, and shrinks what they disagree on.

## The cases

${groups.map(section).join('\n\n')}
${suites.map(({ name, table }) => `\n## ${name}\n\n${table.trim()}\n`).join('')}`;
}

/** Lines that are shown when somebody asks for them; none when there are none. */
const folded = (title: string, lines: readonly string[]): readonly string[] =>
  lines.length === 0 ? [] : [`<details><summary>${title}</summary>`, '', ...lines, '', '</details>', ''];

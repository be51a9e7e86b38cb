import { fileURLToPath } from 'node:url';
import { counts, leftOut, tag } from './known.ts';

/** Where {@link section} is kept. */
export const sectionFile = fileURLToPath(new URL('../suites/recorded.md', import.meta.url));

/** The section of docs/conformance.md on the recorded tests: `suites/recorded.md`, made of the table. */
export const section = (): string => `# LocalStack's tests that were recorded on AWS

LocalStack's maintainers ran their tests of SQS against AWS itself and recorded what it answered (those marked
\`aws.validated\`, at ${tag}). \`npm run conformance:recorded\` fetches these tests into the cache (\`~/.cache/sluice\`, or
\`SLUICE_CACHE\`), installs what they import for Python 3.13 beside them, starts the model, plays them with pytest, and
compares the outcome with this table. A failure that is not in it, a pass of one that is left out, and a test that is
missing or new end it with an error. It takes three to four minutes, and a network the first time. \`--endpoint URL\`
judges another server of this machine instead, \`--from REPOSITORY\` fetches the tests from elsewhere. Nothing of
LocalStack's is in this repository: its cases are told again above, in our words, with the source that each rests on.

| file | protocol | passed | left out | skipped by their authors |
|---|---|---|---|---|
${counts.map(({ file, protocol, passed, leftOut: out, skipped }) => `| \`${file}\` | ${protocol} | ${passed} | ${out} | ${skipped} |`).join('\n')}

| left out | reason |
|---|---|
${leftOut.map(({ test, reason }) => `| \`${test}\` | ${reason} |`).join('\n')}
`;

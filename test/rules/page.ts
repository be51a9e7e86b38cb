import * as rules from '../../lib/rules/index.ts';
import { catalogue, type Rule, themes } from '../../lib/rules/index.ts';

const head = `# Rules

AWS accepts declarations and stacks that lose messages, double them, take them out of order or let them stick. These rules refuse
them at synthesis, before anything is deployed.

They judge two things: what \`defineMessaging\` is given (*declaration*), and the finished resources of a stack (*stack*), whoever
made them: this package, plain constructs of the CDK, an escape hatch, an aspect. A stack of this package asks them by itself. Any
other CDK app asks for it:

\`\`\`ts
import { App, Duration, Stack } from 'aws-cdk-lib';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Sluice } from 'sluice/cdk';

const app = new App();
Sluice.check(app);
const stack = new Stack(app, 'Payments');
const deadLetters = new Queue(stack, 'DeadLetters', { retentionPeriod: Duration.days(14) });
new Queue(stack, 'Queue', { deadLetterQueue: { queue: deadLetters, maxReceiveCount: 100 } });
\`\`\`

- An **error** ends the synthesis, together with all others in one message: it is what loses, doubles, reorders or sticks messages,
  or what AWS would refuse half-way through the deployment. A **warning** is advice, or costs money; the CDK's command prints it.
  \`Sluice.check(app, { strict: true })\` refuses warnings too. A declaration is refused by either.
- Ask for the check as soon as the app is there: what the CDK drops from props, such as the second of two filters of a subscription,
  is only seen as it is given. A stage that is added later is judged too; for its warnings to be printed, ask again at the end.
- What only the deployment knows, such as a parameter or a queue that was imported by a parameter, is never a fault.
- A rule is silenced at a construct, and in all of it, with a reason:
  \`Sluice.silence(queue, 'dead-letter-retention', 'Dead letters are copied to S3 within the hour.')\`. The CDK's own
  \`Validations.of(queue).acknowledge({ id: 'sluice:dead-letter-retention', reason })\` does the same.

This page is written by \`npm run rules\` from the catalogue in lib/rules; a test compares the two.

`;

/** The page of rules: the table by theme, a part for each rule, and the quotas that they rest on. */
export function rulesPage(): string {
  const all = new Map<string, Rule>(catalogue().map((rule) => [rule.id, rule]));
  const tables = Object.entries(themes).map(([theme, table]) => {
    const rows = Object.keys(table).map((id) => {
      const { severity, subjects, condition } = all.get(id)!;
      return `| [${id}](#${id}) | ${severity} | ${subjects.join(', ')} | ${cell(condition)} |`;
    });
    return `**${theme}**\n\n| rule | severity | judges | what is wrong |\n|---|---|---|---|\n${rows.join('\n')}\n`;
  });
  const parts = [...all.values()].map(
    ({ id, severity, subjects, condition, allowed, remedy, why, source }) =>
      `### ${id}\n\n${condition} *${severity === 'error' ? 'Error' : 'Warning'}, judges ${subjects.map((each) => (each === 'stack' ? 'stacks' : 'declarations')).join(' and ')}.*\n\n- Allowed: ${allowed}.\n- What to do: ${remedy}\n- Why: ${why}\n- Source: ${source}.\n`,
  );
  // By name: how a module lists its exports differs between loaders.
  const quotas = Object.entries(rules)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([name, value]) =>
      typeof value === 'object' && 'asOf' in value
        ? [`| \`${name}\` | ${value.value} | ${value.unit} | ${value.source} | ${value.asOf} |`]
        : [],
    );
  return `${head}${tables.join('\n')}\n## Each rule\n\n${parts.join('\n')}\n## Quotas\n\nThe figures of AWS that the rules, and the limits of a declaration, are judged by: one line each in lib/rules/quotas.ts.\n\n| name | value | unit | source | read |\n|---|---|---|---|---|\n${quotas.join('\n')}\n`;
}

const cell = (text: string): string => text.replaceAll('|', '\\|');

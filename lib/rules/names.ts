import type { Graph } from './graph.ts';
import { isFifo, itself } from './messaging.ts';
import * as quotas from './quotas.ts';
import type { Finding, RuleTable } from './rule.ts';
import { property, type Resource } from './value.ts';

interface NameRule {
  readonly property: string;
  readonly least?: number;
  readonly most: number;
  readonly letters: RegExp;
  readonly words: string;
  readonly fifo?: boolean;
}

const plain = { letters: /^[A-Za-z0-9_-]+$/, words: 'letters, digits, hyphens or underscores' };

const named: Readonly<Record<string, NameRule>> = {
  'AWS::SQS::Queue': { property: 'QueueName', most: quotas.queueNameMost.value, ...plain, fifo: true },
  'AWS::SNS::Topic': { property: 'TopicName', most: quotas.topicNameMost.value, ...plain, fifo: true },
  'AWS::Lambda::Function': { property: 'FunctionName', most: quotas.functionNameMost.value, ...plain },
  'AWS::CloudWatch::Alarm': {
    property: 'AlarmName',
    most: quotas.alarmNameMost.value,
    letters: /^[\x20-\x7E]+$/,
    words: 'printable ASCII characters',
  },
  'AWS::CloudWatch::CompositeAlarm': {
    property: 'AlarmName',
    most: quotas.alarmNameMost.value,
    letters: /^[\x20-\x7E]+$/,
    words: 'printable ASCII characters',
  },
  'AWS::CloudWatch::Dashboard': { property: 'DashboardName', most: quotas.dashboardNameMost.value, ...plain },
  'AWS::DynamoDB::Table': {
    property: 'TableName',
    least: quotas.tableNameLeast.value,
    most: quotas.tableNameMost.value,
    letters: /^[A-Za-z0-9._-]+$/,
    words: 'letters, digits, dots, hyphens or underscores',
  },
};

/** The resources with a name that the template knows in full. */
function* names(
  graph: Graph,
): Iterable<{ readonly at: Resource; readonly name: string; readonly rule: NameRule }> {
  for (const [type, rule] of Object.entries(named))
    for (const at of graph.of(type)) {
      const name = property(at.properties, rule.property);
      if (typeof name === 'string' && !name.includes('${')) yield { at, name, rule };
    }
}

function wrong(at: Resource, name: string, rule: NameRule): Omit<Finding, 'at'> | undefined {
  const fifo = rule.fifo === true ? isFifo(itself(at)) : undefined;
  const ends = name.endsWith('.fifo');
  if (fifo !== undefined && fifo !== ends)
    return { found: `"${name}"`, allowed: fifo ? 'a name that ends with .fifo' : 'a name without .fifo' };
  const free = rule.fifo === true && ends ? name.slice(0, -'.fifo'.length) : name;
  const least = rule.least ?? 1;
  if (rule.letters.test(free) && name.length >= least && name.length <= rule.most) return undefined;
  return {
    found: name.length > rule.most ? `"${name}", ${name.length} characters` : `"${name}"`,
    allowed: `${rule.least === undefined ? 'up to' : `${least} to`} ${rule.most} ${rule.words}`,
  };
}

/** Rules on physical names. */
export const nameRules = {
  'physical-name': {
    severity: 'error',
    condition: 'A name is not one that AWS takes.',
    allowed: `queues up to ${quotas.queueNameMost.value} characters with .fifo, topics ${quotas.topicNameMost.value}, functions ${quotas.functionNameMost.value}, alarms and dashboards ${quotas.alarmNameMost.value}, tables ${quotas.tableNameLeast.value} to ${quotas.tableNameMost.value}; FIFO names end with .fifo, others do not`,
    remedy: 'Rename it, or leave the name to CloudFormation.',
    why: 'AWS refuses the resource in the middle of the deployment.',
    source: quotas.queueNameMost.source,
    subjects: ['declaration', 'stack'],
    *check(graph) {
      for (const { at, name, rule } of names(graph)) {
        const found = wrong(at, name, rule);
        if (found !== undefined) yield { at, ...found };
      }
    },
  },
  'physical-name-unique': {
    severity: 'error',
    condition: 'Two resources of one kind have one name.',
    allowed: 'each name once in an account and region',
    remedy: 'Rename one, or leave the names to CloudFormation.',
    why: 'The second fails in the middle of the deployment; or both become one, and deleting one deletes the live queue of the other.',
    source: 'CloudFormation user guide, "Name type"',
    subjects: ['declaration', 'stack'],
    *check(graph) {
      const owners = new Map<string, Resource>();
      for (const { at, name } of names(graph)) {
        // Two stacks may go to two places: only one stack, or a place that both name, is the same for sure.
        const { account, region, path } = graph.stack(at);
        const place = account !== undefined && region !== undefined ? `${account} ${region}` : path;
        // Alarms of both kinds share their names.
        const key = `${place} ${at.type.replace('CompositeAlarm', 'Alarm')} ${name}`;
        const owner = owners.get(key);
        if (owner === undefined) owners.set(key, at);
        // Of two that are made under conditions, only one may be there.
        else if (owner.condition === at.condition)
          yield { at, found: `"${name}", the name of ${owner.logicalId} too` };
      }
    },
  },
} as const satisfies RuleTable;

/** What is known of a resource by its logical id. */
export interface KnownResource {
  readonly type: string;
  /** Construct path below the stack. */
  readonly path: string;
  /** What CloudFormation does with the old resource when it is removed or replaced. */
  readonly removal: 'Delete' | 'Retain';
  /** The properties that make CloudFormation replace the resource, where that loses something. */
  readonly fixed?: Readonly<Record<string, unknown>>;
}

/** Resources by logical id. */
export type KnownResources = Readonly<Record<string, KnownResource>>;

/** What a template says of one resource. */
export interface TemplateResource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
  readonly Metadata?: Readonly<Record<string, unknown>>;
  readonly DeletionPolicy?: string;
}

interface Kind {
  /** Properties with "Update requires: Replacement" in the CloudFormation template reference of the type. */
  readonly fixed: readonly string[];
  /** What becomes of a deployed one. */
  readonly gone: string;
  /** The same when the old one is retained. */
  readonly kept?: string;
  /** What follows when another one takes its place. */
  readonly anew?: string;
}

/** Two of one name cannot be, and CloudFormation makes the new one before it removes the old one. */
const taken =
  '; the new one is made before the old one is gone, two cannot have one name, and the deployment fails';

/** Types that hold something, or whose name another system knows. */
export const stateful: Readonly<Record<string, Kind>> = {
  'AWS::SQS::Queue': {
    fixed: ['QueueName', 'FifoQueue'],
    gone: 'the queue with its messages would be deleted',
    kept: 'the queue with its messages would be left behind, where nobody consumes or watches it',
  },
  'AWS::SNS::Topic': {
    fixed: ['TopicName', 'FifoTopic'],
    gone: 'the topic would be deleted with all its subscriptions, those of others too',
    anew: ' and made anew under another ARN, which publishers outside of the stack do not know',
  },
  'AWS::SNS::Subscription': {
    fixed: ['Protocol', 'Endpoint', 'TopicArn'],
    gone: 'the subscription would be deleted: what is published then is lost',
    anew: ' until the new one is made',
  },
  'AWS::DynamoDB::Table': {
    fixed: ['TableName', 'KeySchema'],
    gone: 'the table with its items would be deleted',
    kept: 'the table with its items would be left behind',
    anew: ' and an empty one made: what is delivered or replayed again repeats its effects',
  },
  'AWS::KMS::Key': {
    fixed: ['KeySpec', 'KeyUsage', 'MultiRegion'],
    gone: 'the key would be scheduled for deletion: what it encrypted becomes unreadable',
    kept: 'the key would be left behind',
    anew: ', and another one encrypts from then on',
  },
  'AWS::Logs::LogGroup': {
    fixed: ['LogGroupName'],
    gone: 'the log with its lines would be deleted',
    kept: 'the log with its lines would be left behind',
  },
  'AWS::Lambda::EventSourceMapping': {
    fixed: ['EventSourceArn'],
    gone: 'the event source would be deleted, and its function consumes nothing',
    anew: '; the new one is made before the old one is gone: Lambda answers that it exists already, and the deployment fails',
  },
  'AWS::CloudWatch::Alarm': { fixed: ['AlarmName'], gone: 'the alarm would be deleted', anew: taken },
  'AWS::CloudWatch::CompositeAlarm': {
    fixed: ['AlarmName'],
    gone: 'the alarm would be deleted',
    anew: taken,
  },
  'AWS::CloudWatch::Dashboard': {
    fixed: ['DashboardName'],
    gone: 'the dashboard would be deleted',
    anew: taken,
  },
};

const other: Kind = { fixed: [], gone: 'it would be deleted' };

/** How the golden file is brought up to date, on purpose. */
export const update = 'npx tsx test/constructs/stack/write-golden.ts';

/** What is known of a template's resources, in the order of their ids. */
export function knownOf(
  stack: string,
  resources: Readonly<Record<string, TemplateResource>>,
): KnownResources {
  const entries = Object.entries(resources).map(([id, resource]): [string, KnownResource] => {
    const properties = resource.Properties ?? {};
    const fixed = (stateful[resource.Type] ?? other).fixed.filter((name) => properties[name] !== undefined);
    return [
      id,
      {
        type: resource.Type,
        path: String(resource.Metadata?.['aws:cdk:path'] ?? id).slice(stack.length + 1),
        removal: resource.DeletionPolicy?.startsWith('Retain') ? 'Retain' : 'Delete',
        ...(fixed.length === 0
          ? {}
          : { fixed: Object.fromEntries(fixed.map((name) => [name, properties[name]])) }),
      },
    ];
  });
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** What would happen to a deployed resource that the template has no more, or has otherwise. */
function consequence({ type, removal }: KnownResource, replaced: boolean): string {
  const { gone, kept, anew = ' and made anew' } = stateful[type] ?? other;
  return `${removal === 'Retain' ? (kept ?? gone) : gone}${replaced ? anew : ''}`;
}

const named = (id: string, { type, path }: KnownResource) =>
  `${id}, ${stateful[type] === undefined ? '' : 'stateful '}${type} at ${path}`;

/** What a deployment of `now` over `then` would delete or replace, one entry each; empty when nothing. */
export function lossesOf(then: KnownResources, now: KnownResources): string[] {
  const fresh = Object.entries(now).filter(([id]) => !Object.hasOwn(then, id));
  return Object.entries(then).flatMap(([id, known]) => {
    const present = now[id];
    if (present === undefined || present.type !== known.type) {
      const heir = heirOf(known, fresh);
      const place = heir === undefined ? '' : ` Its place is taken by ${heir}.`;
      return [`GONE ${named(id, known)}: ${consequence(known, heir !== undefined)}.${place}`];
    }
    const changed = Object.keys({ ...known.fixed, ...present.fixed }).filter(
      (name) => JSON.stringify(known.fixed?.[name]) !== JSON.stringify(present.fixed?.[name]),
    );
    if (changed.length > 0) {
      const what = changed.map(
        (name) =>
          `${name} from ${JSON.stringify(known.fixed?.[name])} to ${JSON.stringify(present.fixed?.[name])}`,
      );
      return [
        `REPLACED ${named(id, known)}, by a change of ${what.join(' and ')}: ${consequence(known, true)}.`,
      ];
    }
    if (known.removal === 'Retain' && present.removal === 'Delete')
      return [`UNPROTECTED ${named(id, known)}: it outlived the stack, and would not any more.`];
    return [];
  });
}

/** The one new resource of its type that is of the same owner, or the same part of another. */
function heirOf(
  { type, path }: KnownResource,
  fresh: readonly [string, KnownResource][],
): string | undefined {
  const of = fresh.filter(([, each]) => each.type === type);
  const part = (each: string) => each.split('/').slice(-2).join('/');
  const owner = (each: string) => each.split('/')[0];
  for (const like of [part, owner]) {
    const heirs = of.filter(([, each]) => like(each.path) === like(path));
    if (heirs.length === 1) return heirs.map(([id, each]) => `${id} at ${each.path}`)[0];
  }
  return undefined;
}

/** What is in `now` only: harmless, but not under the contract until the golden file has it. */
export const additionsOf = (then: KnownResources, now: KnownResources): string[] =>
  Object.entries(now).flatMap(([id, known]) => (Object.hasOwn(then, id) ? [] : [`NEW ${named(id, known)}`]));

/** The failure's text. */
export const explain = (faults: readonly string[]): string =>
  [
    'Logical ids are a contract with every stack that is deployed (docs/deploy.md, "Construct ids").',
    'The next deployment of the orders stack would do this to a live one:',
    ...faults.map((fault) => `  ${fault}`),
    `Take the change back; or, when it is meant, say in docs/deploy.md what an operator has to do first, and run: ${update}`,
  ].join('\n');

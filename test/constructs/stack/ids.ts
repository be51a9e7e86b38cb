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
  /** What a deployed one loses when it goes, or why the new one cannot be made beside it. */
  readonly loss: string;
  /** The same when the old one is retained. */
  readonly kept?: string;
}

/** Types that hold something, or whose name another system knows. */
export const stateful: Readonly<Record<string, Kind>> = {
  'AWS::SQS::Queue': {
    fixed: ['QueueName', 'FifoQueue'],
    loss: 'the queue with its messages would be deleted and made anew',
    kept: 'the queue would be left behind with its messages, outside of the stack, and an empty one made: nobody watches the old one any more',
  },
  'AWS::SNS::Topic': {
    fixed: ['TopicName', 'FifoTopic'],
    loss: 'the topic would be deleted with all its subscriptions and made anew under another ARN: publishers and subscribers outside of the stack lose it',
  },
  'AWS::SNS::Subscription': {
    fixed: ['Protocol', 'Endpoint', 'TopicArn'],
    loss: 'the subscription would be deleted and made anew: what is published in between is lost',
  },
  'AWS::DynamoDB::Table': {
    fixed: ['TableName', 'KeySchema'],
    loss: 'the table with its items would be deleted and an empty one made: what is delivered or replayed again repeats its effects',
    kept: 'the table would be left behind with its items, and an empty one made: what is delivered or replayed again repeats its effects',
  },
  'AWS::KMS::Key': {
    fixed: ['KeySpec', 'KeyUsage', 'MultiRegion'],
    loss: 'the key would be scheduled for deletion: what it encrypted becomes unreadable',
    kept: 'the key would be left behind, and another one encrypts from then on',
  },
  'AWS::Logs::LogGroup': {
    fixed: ['LogGroupName'],
    loss: 'the log would be deleted with its lines and made anew',
    kept: 'the log would be left behind with its lines, and an empty one made',
  },
  'AWS::Lambda::EventSourceMapping': {
    fixed: ['EventSourceArn'],
    loss: 'the event source would be made anew while the old one stands: Lambda answers that it exists already, and the deployment fails',
  },
  'AWS::CloudWatch::Alarm': {
    fixed: ['AlarmName'],
    loss: 'the alarm has a name of its own: the new one is made before the old one is removed, two cannot have one name, and the deployment fails',
  },
  'AWS::CloudWatch::Dashboard': {
    fixed: ['DashboardName'],
    loss: 'the dashboard has a name of its own: the new one is made before the old one is removed, two cannot have one name, and the deployment fails',
  },
};

const other: Kind = { fixed: [], loss: 'it would be deleted and made anew' };

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
        removal: resource.DeletionPolicy === 'Retain' ? 'Retain' : 'Delete',
        ...(fixed.length === 0
          ? {}
          : { fixed: Object.fromEntries(fixed.map((name) => [name, properties[name]])) }),
      },
    ];
  });
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** What would happen to a deployed resource that the template has no more, or has with other fixed properties. */
function consequence({ type, removal }: KnownResource): string {
  const { loss, kept } = stateful[type] ?? other;
  return removal === 'Retain' ? (kept ?? loss) : loss;
}

const named = (id: string, { type, path }: KnownResource) =>
  `${id}, ${stateful[type] === undefined ? '' : 'stateful '}${type} at ${path}`;

/** What a deployment of `now` over `then` would delete or replace, one entry each; empty when nothing. */
export function lossesOf(then: KnownResources, now: KnownResources): string[] {
  const fresh = Object.entries(now).filter(([id]) => !Object.hasOwn(then, id));
  return Object.entries(then).flatMap(([id, known]) => {
    const present = now[id];
    if (present === undefined || present.type !== known.type) {
      const heirs = fresh.filter(
        ([, { type, path }]) => type === known.type && lastOf(path) === lastOf(known.path),
      );
      const heir =
        heirs.length === 1 ? ` Its place may be taken by ${heirs[0]?.[0]} at ${heirs[0]?.[1].path}.` : '';
      return [`GONE ${named(id, known)}: ${consequence(known)}.${heir}`];
    }
    const changed = Object.keys({ ...known.fixed, ...present.fixed }).filter(
      (name) => JSON.stringify(known.fixed?.[name]) !== JSON.stringify(present.fixed?.[name]),
    );
    if (changed.length > 0) {
      const what = changed.map(
        (name) =>
          `${name} from ${JSON.stringify(known.fixed?.[name])} to ${JSON.stringify(present.fixed?.[name])}`,
      );
      return [`REPLACED ${named(id, known)}, by a change of ${what.join(' and ')}: ${consequence(known)}.`];
    }
    if (known.removal === 'Retain' && present.removal === 'Delete')
      return [`UNPROTECTED ${named(id, known)}: it outlived the stack, and would not any more.`];
    return [];
  });
}

const lastOf = (path: string): string => path.split('/').slice(-2).join('/');

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

import * as cloudformation from '@aws-sdk/client-cloudformation';
import * as cloudwatch from '@aws-sdk/client-cloudwatch';
import * as dynamodb from '@aws-sdk/client-dynamodb';
import * as sns from '@aws-sdk/client-sns';
import * as sqs from '@aws-sdk/client-sqs';

const packages = { sqs, sns, dynamodb, cloudwatch, cloudformation };

/** A service that the documentation's commands call. */
export type CalledService = keyof typeof packages;

/** A command of the AWS CLI as a command of the SDK. */
export interface AwsCommand {
  readonly service: CalledService;
  /** As the API names it: `CreateQueue`. */
  readonly action: string;
  /** The flags that say where, not what. */
  readonly endpoint: string | undefined;
  readonly region: string | undefined;
  readonly input: Readonly<Record<string, unknown>>;
  /** An instance of the SDK's class for the action. */
  readonly command: object;
}

/** Splits a command as a shell does, as far as the documentation needs it: quotes, and variables by value. */
export function words(command: string, variables: Readonly<Record<string, string>> = {}): string[] {
  return [...command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, double, single, bare]) => {
    if (single !== undefined) return single;
    return (double ?? bare ?? '').replace(/\$(\w+)/g, (_, name: string) => {
      const value = variables[name];
      if (value === undefined) throw new Error(`${command}: nobody says what $${name} is.`);
      return value;
    });
  });
}

/** Reads a command of the AWS CLI: `--queue-name x` becomes `QueueName: 'x'`. */
export function readAwsCommand(
  command: string,
  variables: Readonly<Record<string, string>> = {},
): AwsCommand {
  const said = words(command, variables);
  if (said.shift() !== 'aws') throw new Error(`${command} is no command of the AWS CLI.`);
  const flags = new Map<string, string>();
  const names: string[] = [];
  while (said.length > 0) {
    const word = said.shift() as string;
    if (!word.startsWith('--')) names.push(word);
    else flags.set(word.slice(2), said.shift() ?? '');
  }
  const [service = '', verb = ''] = names;
  const action = pascal(verb);
  if (!(service in packages)) throw new Error(`${command}: the test knows no service ${service}.`);
  const endpoint = flags.get('endpoint-url');
  const region = flags.get('region');
  flags.delete('endpoint-url');
  flags.delete('region');
  const input = Object.fromEntries(
    [...flags].map(([flag, value]) => [pascal(flag), inputValue(flag, value)]),
  );
  const known = packages[service as CalledService] as unknown as Record<
    string,
    new (
      input: object,
    ) => object
  >;
  const Command = known[`${action}Command`];
  if (Command === undefined) throw new Error(`${command}: ${service} has no action ${action}.`);
  return { service: service as CalledService, action, endpoint, region, input, command: new Command(input) };
}

/** What all clients of the SDK have. */
interface Client {
  send(command: object): Promise<object>;
  destroy(): void;
}

/** A client of the stock SDK for a command, at an endpoint of this machine. */
export function clientFor({ service }: AwsCommand, endpoint: string): Client {
  const settings = {
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  };
  const make = {
    sqs: () => new sqs.SQSClient(settings),
    sns: () => new sns.SNSClient(settings),
    dynamodb: () => new dynamodb.DynamoDBClient(settings),
    cloudwatch: () => new cloudwatch.CloudWatchClient(settings),
    cloudformation: () => new cloudformation.CloudFormationClient(settings),
  };
  // Which command goes with which client is known only at run time.
  return make[service]() as unknown as Client;
}

const pascal = (name: string): string =>
  name
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');

function inputValue(flag: string, value: string): unknown {
  if (flag.endsWith('-names')) return [value];
  if (flag === 'attributes') return Object.fromEntries(value.split(',').map((pair) => pair.split('=')));
  return /^\d+$/.test(value) ? Number(value) : value;
}

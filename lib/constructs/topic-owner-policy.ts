import {
  Annotations,
  Arn,
  ArnFormat,
  CfnOutput,
  Lazy,
  Resource,
  Stack,
  Token,
  TokenComparison,
} from 'aws-cdk-lib';
import { ArnPrincipal, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { entrance } from '../base/index.ts';
import { pascalCase } from './naming.ts';

/**
 * Props of {@link TopicOwnerPolicy}.
 *
 * @example
 * ```ts
 * const props: TopicOwnerPolicyProps = { name: 'orders', topic: ordersOfAnotherAccount };
 * ```
 */
export interface TopicOwnerPolicyProps {
  /** The topic's name in the declaration: part of the outputs' names. */
  readonly name: string;
  /** A topic that this stack does not make. */
  readonly topic: ITopic;
  /**
   * The customer key of the topic. Whoever publishes from here needs the leave of the key's owner too.
   *
   * @default - none: the topic has no such key, or nobody publishes from here
   */
  readonly encryptionKey?: IKey | undefined;
  /**
   * The names of all queues that subscribe, where they are known before the deployment: the owner then allows no other.
   * None: this stack only publishes.
   *
   * @default - any queue of this account and region
   */
  readonly queueNames?: readonly string[] | undefined;
}

/**
 * What the owner of a topic in another account has to add to the topic's policy, and to its key's, before this stack can
 * be deployed. A topic of the same app gets it at once. For one that was imported it is an output, and a warning of the
 * synthesis: a deployment that fails for want of it prints no outputs. Nothing is made for a topic of the same account,
 * where the deployer's own rights suffice (SNS developer guide, "Using identity-based policies with Amazon SNS").
 *
 * @example
 * ```ts
 * new TopicOwnerPolicy(this, 'OrdersOwner', { name: 'orders', topic }).statements;
 * ```
 */
export class TopicOwnerPolicy extends Construct {
  static {
    entrance(TopicOwnerPolicy);
  }

  /** Whether the topic is of another account, as far as the synthesis can know. */
  readonly foreign: Foreign;
  readonly #props: TopicOwnerPolicyProps;
  /** Whether this app cannot do it by itself. */
  #asks = false;
  #publishes = false;

  constructor(scope: Construct, id: string, props: TopicOwnerPolicyProps) {
    super(scope, id);
    this.#props = props;
    const stack = Stack.of(this);
    this.foreign = foreign(stack.account, props.topic.env.account);
    if (this.foreign === 'no') return;
    if (Resource.isOwnedResource(props.topic)) {
      if (this.#hears) props.topic.addToResourcePolicy(this.#subscribe());
      return;
    }
    this.#asks = true;
    if (this.#hears) this.#tell('subscribe', 'policy of the topic', this.#subscribe());

    const { name, encryptionKey } = props;
    const output = (id: string, statements: () => readonly object[], description: string) =>
      new CfnOutput(stack, id, {
        value: Lazy.string({ produce: () => stack.toJsonString(statements()) }),
        description,
      });
    output(
      `TopicOwnerPolicy${pascalCase(name)}`,
      () => this.statements,
      `Statements that the owner of the topic ${name} adds to its policy`,
    );
    if (encryptionKey !== undefined)
      output(
        `TopicKeyOwnerPolicy${pascalCase(name)}`,
        () => this.keyStatements,
        `Statements that the owner of the key of the topic ${name} adds to its policy`,
      );
  }

  /** Whether any queue of this stack is to hear the topic. */
  get #hears(): boolean {
    return this.#props.queueNames?.length !== 0;
  }

  /** What the topic's policy needs, as JSON of IAM. */
  get statements(): readonly object[] {
    const all = [...(this.#hears ? [this.#subscribe()] : []), ...(this.#publishes ? [this.#publish()] : [])];
    return all.map((each) => each.toStatementJson());
  }

  /** What the policy of the topic's key needs; nothing while nobody publishes from here. */
  get keyStatements(): readonly object[] {
    const { encryptionKey } = this.#props;
    return encryptionKey === undefined || !this.#publishes ? [] : [this.#encrypt().toStatementJson()];
  }

  /**
   * Says that somebody of this stack may publish: the owners of topic and key have to agree. Those of this app have it
   * from the grant.
   */
  allowPublish(): void {
    if (this.#publishes || !this.#asks) return;
    this.#publishes = true;
    this.#tell('publish', 'policy of the topic', this.#publish());
    if (this.#props.encryptionKey !== undefined)
      this.#tell('encrypt', 'policy of the key of the topic', this.#encrypt());
  }

  #tell(what: string, where: string, statement: PolicyStatement): void {
    const { name } = this.#props;
    const text = textOf(Stack.of(this).resolve(statement.toStatementJson()));
    if (this.foreign === 'yes')
      Annotations.of(this).addWarningV2(
        `sluice:topicOwner:${what}`,
        `The topic "${name}" belongs to another account. Before this stack is deployed its owner adds to the ${where}: ${text}`,
      );
    else
      Annotations.of(this).addInfoV2(
        `sluice:topicOwner:${what}`,
        `If the topic "${name}" belongs to another account, its owner adds to the ${where}, before this stack is deployed: ${text}`,
      );
  }

  #subscribe(): PolicyStatement {
    const stack = Stack.of(this);
    const { topic, queueNames = ['*'] } = this.#props;
    const partition = partitionOf(topic, stack);
    // Queues without a name of their own get one from CloudFormation, when it makes them: too late for this.
    const endpoints = queueNames.map((resource) =>
      stack.formatArn({ partition, service: 'sqs', resource, arnFormat: ArnFormat.NO_RESOURCE_NAME }),
    );
    return new PolicyStatement({
      sid: this.#sid('Subscribe'),
      principals: [new ArnPrincipal(stack.account)],
      actions: ['sns:Subscribe'],
      resources: [topic.topicArn],
      conditions: {
        StringEquals: { 'sns:Protocol': 'sqs' },
        // The queues of this stack have their names from CloudFormation, when it makes them: not before.
        StringLike: { 'sns:Endpoint': endpoints.length === 1 ? endpoints[0] : endpoints },
      },
    });
  }

  #publish(): PolicyStatement {
    return new PolicyStatement({
      sid: this.#sid('Publish'),
      principals: [new ArnPrincipal(Stack.of(this).account)],
      actions: ['sns:Publish'],
      resources: [this.#props.topic.topicArn],
    });
  }

  #encrypt(): PolicyStatement {
    const { topic } = this.#props;
    return new PolicyStatement({
      sid: this.#sid('Encrypt'),
      principals: [new ArnPrincipal(Stack.of(this).account)],
      actions: ['kms:Decrypt', 'kms:GenerateDataKey*'],
      // In a key's policy "*" is the key itself (KMS developer guide, "Key policies").
      resources: ['*'],
      conditions: { StringEquals: { 'kms:ViaService': `sns.${topic.env.region}.amazonaws.com` } },
    });
  }

  #sid(what: string): string {
    return `${pascalCase(Stack.of(this).stackName)}${what}`;
  }
}

/** Whether something is of another account, as far as the synthesis can know. */
export type Foreign = 'yes' | 'no' | 'unknown';

/** Compares the account of a stack with that of something it is given. */
export function foreign(here: string, there: string): Foreign {
  if (here === there) return 'no';
  switch (Token.compareStrings(here, there)) {
    case TokenComparison.SAME:
      return 'no';
    case TokenComparison.DIFFERENT:
      return 'yes';
    default:
      return 'unknown';
  }
}

const partitionOf = ({ topicArn }: ITopic, stack: Stack): string =>
  Token.isUnresolved(topicArn) ? stack.partition : Arn.split(topicArn, ArnFormat.NO_RESOURCE_NAME).partition!;

/** A resolved value as JSON for people: what only the deployment knows stands as `${AWS::AccountId}`. */
function textOf(resolved: unknown): string {
  const plain = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(plain);
    if (typeof value !== 'object' || value === null) return value;
    const entries = Object.entries(value);
    const [key, inner] = entries[0] ?? [];
    if (entries.length === 1 && key === 'Ref') return `\${${String(inner)}}`;
    if (entries.length === 1 && key === 'Fn::Join') {
      const [separator, parts] = inner as [string, unknown[]];
      return parts.map((part) => (typeof part === 'string' ? part : String(plain(part)))).join(separator);
    }
    if (entries.length === 1 && key?.startsWith('Fn::')) return `\${${JSON.stringify(value)}}`;
    return Object.fromEntries(entries.map(([name, each]) => [name, plain(each)]));
  };
  return JSON.stringify(plain(resolved));
}

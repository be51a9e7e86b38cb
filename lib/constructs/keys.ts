import type { RemovalPolicy } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import { MessagingKey } from './encryption.ts';
import { pascalCase } from './naming.ts';

/**
 * Whose keys encrypt what a stack holds: those that AWS manages, one key of the account for everything, or one for each
 * topic, each subscriber and the table.
 *
 * @example
 * ```ts
 * const encryption: Encryption = 'customerKey';
 * ```
 */
export type Encryption = 'awsManaged' | 'customerKey' | 'customerKeys';

/** The keys of a stack. */
export interface Keys {
  /** The one key for everything, where there is one. */
  readonly one: IKey | undefined;
  readonly topic: (name: string) => IKey | undefined;
  readonly subscriber: (name: string) => IKey | undefined;
  readonly records: () => IKey | undefined;
  /** All that there are, by the id of their construct. */
  readonly all: ReadonlyMap<string, IKey>;
}

/** What {@link chooseKeys} goes by. */
export interface KeysProps {
  readonly encryption: Encryption | undefined;
  readonly encryptionKey: IKey | undefined;
  readonly removalPolicy: RemovalPolicy;
}

/** Makes the keys that a stack asks for, each when it is first needed. */
export function chooseKeys(scope: Construct, props: KeysProps): Keys {
  const { encryptionKey, removalPolicy } = props;
  const all = new Map<string, IKey>();
  const make = (id: string): IKey => {
    const made = all.get(id) ?? new MessagingKey(scope, id, { removalPolicy }).key;
    all.set(id, made);
    return made;
  };
  if (encryptionKey !== undefined) all.set('EncryptionKey', encryptionKey);
  const encryption = props.encryption ?? (encryptionKey === undefined ? 'awsManaged' : 'customerKey');
  switch (encryption) {
    case 'awsManaged': {
      const none = () => undefined;
      return { one: undefined, topic: none, subscriber: none, records: none, all };
    }
    case 'customerKey': {
      const one = make('EncryptionKey');
      const same = () => one;
      return { one, topic: same, subscriber: same, records: same, all };
    }
    case 'customerKeys':
      return {
        one: undefined,
        topic: (name) => make(`${pascalCase(name)}TopicKey`),
        subscriber: (name) => make(`${pascalCase(name)}SubscriberKey`),
        records: () => make('RecordsKey'),
        all,
      };
  }
}

import { createHash } from 'node:crypto';
import { uuid } from '../../lib/base/index.ts';
import type { ModelContext } from '../service.ts';
import { disabled, invalidState, notFound } from './errors.ts';
import { type KeyPolicy, managedKeyPolicy, readKeyPolicy } from './key-policy.ts';

/** What the keys need of the model. */
export type KeyContext = Pick<ModelContext, 'clock' | 'random' | 'account' | 'region'>;

/** A key. Only symmetric keys encrypt and decrypt, which are the only ones that the model has. */
export interface Key {
  readonly id: string;
  readonly arn: string;
  readonly manager: 'AWS' | 'CUSTOMER';
  /** 32 bytes for each version of the key's material, the newest last: a rotation adds one. */
  readonly material: Buffer[];
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly multiRegion: boolean;
  readonly tags: Map<string, string>;
  description: string;
  enabled: boolean;
  policy: KeyPolicy;
  /** Days between two rotations; `undefined` when the key does not rotate. */
  rotation: number | undefined;
  /** When it is deleted; `undefined` when it is not. */
  deletionAt: number | undefined;
}

/** An alias of a key. */
export interface Alias {
  readonly name: string;
  readonly arn: string;
  keyId: string;
  readonly createdAt: number;
  updatedAt: number;
}

/** Services for which AWS has a key in every account that uses it, and that this model has. */
export const managedServices = ['dynamodb', 'lambda', 's3', 'sns', 'sqs', 'ssm'] as const;

/** The keys of an account in a region, and their aliases. */
export interface KeyStore {
  readonly context: KeyContext;
  readonly aliases: ReadonlyMap<string, Alias>;
  /** Counts the changes of keys and aliases: whoever keeps a decision asks whether it is still of the same state. */
  revision(): number;
  /** Has to be called after every change. */
  changed(): void;
  add(key: Key): void;
  all(): readonly Key[];
  setAlias(alias: Alias): void;
  removeAlias(name: string): void;
  /**
   * The key that an id, an ARN, an alias or an alias's ARN names.
   *
   * @throws ServiceError NotFoundException
   */
  find(reference: string): Key;
  /** A key with new material, unless `of` gives one. */
  make(
    settings: Pick<Key, 'manager' | 'policy'> &
      Partial<Pick<Key, 'description' | 'multiRegion'>> & {
        readonly of?: { readonly id: string; readonly material: Buffer };
      },
  ): Key;
}

/** No keys but those that AWS manages, which come up when somebody names them. */
export function createKeyStore(context: KeyContext): KeyStore {
  const { clock, random, account, region } = context;
  const keys = new Map<string, Key>();
  const aliases = new Map<string, Alias>();
  const prefix = `arn:aws:kms:${region}:${account}:`;
  let revision = 0;

  const make: KeyStore['make'] = ({ manager, policy, description = '', multiRegion = false, of }) => {
    const plain = of?.id ?? uuid(random);
    const id = multiRegion ? `mrk-${plain.replaceAll('-', '')}` : plain;
    return {
      id,
      arn: `${prefix}key/${id}`,
      manager,
      material: [of?.material ?? newMaterial(context)],
      createdAt: clock.now(),
      multiRegion,
      tags: new Map(),
      description,
      enabled: true,
      policy,
      rotation: undefined,
      deletionAt: undefined,
    };
  };

  /** The key that AWS made at the first use of a service. */
  const managed = (name: string): Alias | undefined => {
    const service = managedServices.find((known) => name === `alias/aws/${known}`);
    if (service === undefined) return undefined;
    // It is there whoever names it first: what it is depends on no chance.
    const material = createHash('sha256').update(`${prefix}${name}`).digest();
    const id = identifierOf(material);
    const key: Key = {
      ...make({
        manager: 'AWS',
        policy: readKeyPolicy(managedKeyPolicy(service, account, region)),
        description: `Default key that protects my ${service} data when no other key is defined`,
        of: { id, material },
      }),
      rotation: 365,
    };
    keys.set(key.id, key);
    const now = clock.now();
    const alias = { name, arn: `${prefix}${name}`, keyId: key.id, createdAt: now, updatedAt: now };
    aliases.set(name, alias);
    return alias;
  };

  // Nobody waits for the end of a key: it is gone at the first look after it.
  const live = (id: string): Key | undefined => {
    const key = keys.get(id);
    if (key?.deletionAt === undefined || clock.now() < key.deletionAt) return key;
    keys.delete(id);
    for (const alias of [...aliases.values()]) if (alias.keyId === id) aliases.delete(alias.name);
    revision++;
    return undefined;
  };

  return {
    context,
    aliases,
    revision: () => revision,
    changed: () => {
      revision++;
    },
    add: (key) => {
      keys.set(key.id, key);
    },
    all: () => [...keys.keys()].flatMap((id) => live(id) ?? []),
    setAlias: (alias) => {
      aliases.set(alias.name, alias);
      revision++;
    },
    removeAlias: (name) => {
      aliases.delete(name);
      revision++;
    },
    make,
    find(reference) {
      const local = reference.startsWith(prefix) ? reference.slice(prefix.length) : reference;
      if (local.startsWith('alias/')) {
        const alias = aliases.get(local) ?? managed(local);
        const key = alias === undefined ? undefined : live(alias.keyId);
        if (key === undefined) throw notFound(`Alias ${prefix}${local} is not found.`);
        return key;
      }
      const id = local.startsWith('key/') ? local.slice('key/'.length) : local;
      const key = live(id);
      if (key !== undefined) return key;
      if (/^arn:/.test(local)) throw notFound(`Key '${reference}' does not exist`);
      if (/^(mrk-)?[0-9a-f-]{32,36}$/i.test(id)) throw notFound(`Key '${prefix}key/${id}' does not exist`);
      throw notFound(`Invalid keyId '${reference}'`);
    },
  };
}

/** As `KeyState` has it. */
export const stateOf = (key: Key): 'Enabled' | 'Disabled' | 'PendingDeletion' =>
  key.deletionAt !== undefined ? 'PendingDeletion' : key.enabled ? 'Enabled' : 'Disabled';

/** @throws ServiceError for a key that cannot be used now (KMS developer guide, "Key states of AWS KMS keys") */
export function demandUsable(key: Key): void {
  if (key.deletionAt !== undefined) throw invalidState(`${key.arn} is pending deletion.`);
  if (!key.enabled) throw disabled(key.arn);
}

/** 32 hexadecimal digits, written as identifiers of keys are. */
const identifierOf = (bytes: Buffer): string =>
  bytes.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

/** New material of a key: 256 bits. */
export function newMaterial({ random }: Pick<ModelContext, 'random'>, length = 32): Buffer {
  return Buffer.from(Array.from({ length }, () => Math.floor(random.next() * 256)));
}

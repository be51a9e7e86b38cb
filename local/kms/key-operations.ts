import type {
  CancelKeyDeletionCommandInput,
  CreateKeyCommandInput,
  DescribeKeyCommandInput,
  DisableKeyCommandInput,
  EnableKeyCommandInput,
  KeyMetadata,
  ListKeysCommandInput,
  ListResourceTagsCommandInput,
  ScheduleKeyDeletionCommandInput,
  TagResourceCommandInput,
  UntagResourceCommandInput,
  UpdateKeyDescriptionCommandInput,
} from '@aws-sdk/client-kms';
import { days, toMilliseconds } from '../../lib/base/index.ts';
import { type Call, ServiceError } from '../service.ts';
import type { KeyAccess } from './access.ts';
import { invalidState, validation } from './errors.ts';
import { demandWayBack, type KeyJudge } from './judge.ts';
import { defaultKeyPolicy, readKeyPolicy } from './key-policy.ts';
import { type Key, stateOf } from './keys.ts';
import { pageOf } from './page.ts';

/** Days between the wish to delete a key and its end (KMS API reference, ScheduleKeyDeletion). */
const window = { least: 7, most: 30 } as const;
/** KMS API reference, TagResource and quotas: tags of a key. */
const mostTags = 50;

/** The actions on keys themselves. */
export function keyOperations({ store, demand, demandAction }: KeyAccess, judge: KeyJudge) {
  const { clock, account } = store.context;

  const metadata = (key: Key): KeyMetadata => ({
    AWSAccountId: account,
    KeyId: key.id,
    Arn: key.arn,
    CreationDate: new Date(key.createdAt),
    Enabled: key.enabled && key.deletionAt === undefined,
    Description: key.description,
    KeyUsage: 'ENCRYPT_DECRYPT',
    KeyState: stateOf(key),
    ...(key.deletionAt === undefined ? {} : { DeletionDate: new Date(key.deletionAt) }),
    Origin: 'AWS_KMS',
    KeyManager: key.manager,
    CustomerMasterKeySpec: 'SYMMETRIC_DEFAULT',
    KeySpec: 'SYMMETRIC_DEFAULT',
    EncryptionAlgorithms: ['SYMMETRIC_DEFAULT'],
    MultiRegion: key.multiRegion,
    ...(key.multiRegion
      ? {
          MultiRegionConfiguration: {
            MultiRegionKeyType: 'PRIMARY' as const,
            PrimaryKey: { Arn: key.arn, Region: store.context.region },
            ReplicaKeys: [],
          },
        }
      : {}),
  });
  const setTags = (key: Key, tags: TagResourceCommandInput['Tags'] = []) => {
    const names = new Set([...key.tags.keys(), ...tags.map(({ TagKey = '' }) => TagKey)]);
    if (names.size > mostTags)
      throw new ServiceError('LimitExceededException', `A key takes ${mostTags} tags; found ${names.size}.`);
    for (const { TagKey = '', TagValue = '' } of tags) key.tags.set(TagKey, TagValue);
  };
  const setEnabled = (reference: string | undefined, enabled: boolean, action: string, call: Call) => {
    const key = demand(reference, action, call);
    if (key.deletionAt !== undefined) throw invalidState(`${key.arn} is pending deletion.`);
    key.enabled = enabled;
    store.changed();
    return {};
  };

  return {
    CreateKey(input: CreateKeyCommandInput, call: Call) {
      demandAction('CreateKey', call);
      const spec = input.KeySpec ?? input.CustomerMasterKeySpec ?? 'SYMMETRIC_DEFAULT';
      const usage = input.KeyUsage ?? 'ENCRYPT_DECRYPT';
      if (spec !== 'SYMMETRIC_DEFAULT' || usage !== 'ENCRYPT_DECRYPT')
        throw new ServiceError(
          'UnsupportedOperationException',
          `The model has keys that encrypt and decrypt with SYMMETRIC_DEFAULT only; found KeySpec ${spec}, KeyUsage ${usage}.`,
        );
      if ((input.Origin ?? 'AWS_KMS') !== 'AWS_KMS')
        throw new ServiceError(
          'UnsupportedOperationException',
          `The model makes the material of its keys itself (Origin AWS_KMS); found ${input.Origin}.`,
        );
      const key = store.make({
        manager: 'CUSTOMER',
        policy: readKeyPolicy(input.Policy ?? defaultKeyPolicy(account)),
        description: input.Description ?? '',
        multiRegion: input.MultiRegion === true,
      });
      if (input.BypassPolicyLockoutSafetyCheck !== true) demandWayBack(judge, key, call);
      setTags(key, input.Tags);
      store.add(key);
      store.changed();
      return { KeyMetadata: metadata(key) };
    },
    DescribeKey: (input: DescribeKeyCommandInput, call: Call) => ({
      KeyMetadata: metadata(demand(input.KeyId, 'DescribeKey', call)),
    }),
    ListKeys(input: ListKeysCommandInput, call: Call) {
      demandAction('ListKeys', call);
      const { page, more } = pageOf(store.all(), input);
      return { Keys: page.map(({ id, arn }) => ({ KeyId: id, KeyArn: arn })), ...more };
    },
    UpdateKeyDescription(input: UpdateKeyDescriptionCommandInput, call: Call) {
      demand(input.KeyId, 'UpdateKeyDescription', call).description = input.Description ?? '';
      return {};
    },
    EnableKey: (input: EnableKeyCommandInput, call: Call) => setEnabled(input.KeyId, true, 'EnableKey', call),
    DisableKey: (input: DisableKeyCommandInput, call: Call) =>
      setEnabled(input.KeyId, false, 'DisableKey', call),
    ScheduleKeyDeletion(input: ScheduleKeyDeletionCommandInput, call: Call) {
      const key = demand(input.KeyId, 'ScheduleKeyDeletion', call);
      const wait = input.PendingWindowInDays ?? window.most;
      if (!Number.isInteger(wait) || wait < window.least || wait > window.most)
        throw validation(
          `PendingWindowInDays is ${wait}; allowed are whole days from ${window.least} to ${window.most}.`,
        );
      if (key.deletionAt !== undefined) throw invalidState(`${key.arn} is pending deletion.`);
      key.deletionAt = clock.now() + toMilliseconds(days(wait));
      store.changed();
      return {
        KeyId: key.arn,
        DeletionDate: new Date(key.deletionAt),
        KeyState: stateOf(key),
        PendingWindowInDays: wait,
      };
    },
    CancelKeyDeletion(input: CancelKeyDeletionCommandInput, call: Call) {
      const key = demand(input.KeyId, 'CancelKeyDeletion', call);
      if (key.deletionAt === undefined) throw invalidState(`${key.arn} is not pending deletion.`);
      key.deletionAt = undefined;
      // As on AWS: it comes back disabled.
      key.enabled = false;
      store.changed();
      return { KeyId: key.arn };
    },
    TagResource(input: TagResourceCommandInput, call: Call) {
      setTags(demand(input.KeyId, 'TagResource', call), input.Tags);
      return {};
    },
    UntagResource(input: UntagResourceCommandInput, call: Call) {
      const { tags } = demand(input.KeyId, 'UntagResource', call);
      for (const name of input.TagKeys ?? []) tags.delete(name);
      return {};
    },
    ListResourceTags(input: ListResourceTagsCommandInput, call: Call) {
      const { tags } = demand(input.KeyId, 'ListResourceTags', call);
      const { page, more } = pageOf([...tags], input);
      return { Tags: page.map(([TagKey, TagValue]) => ({ TagKey, TagValue })), ...more };
    },
  };
}

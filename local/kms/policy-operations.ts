import type {
  DisableKeyRotationCommandInput,
  EnableKeyRotationCommandInput,
  GetKeyPolicyCommandInput,
  GetKeyRotationStatusCommandInput,
  ListKeyPoliciesCommandInput,
  PutKeyPolicyCommandInput,
  RotateKeyOnDemandCommandInput,
} from '@aws-sdk/client-kms';
import { days, toMilliseconds } from '../../lib/base/index.ts';
import { type Call, ServiceError } from '../service.ts';
import type { KeyAccess } from './access.ts';
import { notFound, validation } from './errors.ts';
import { demandWayBack, type KeyJudge } from './judge.ts';
import { readKeyPolicy } from './key-policy.ts';
import { demandUsable, type Key, newMaterial } from './keys.ts';

/** Days between two rotations (KMS API reference, EnableKeyRotation). */
const period = { least: 90, most: 2560, usual: 365 } as const;

/** The actions on a key's policy and its rotation. */
export function policyOperations({ store, demand }: KeyAccess, judge: KeyJudge) {
  const { clock } = store.context;
  const demandOwn = (reference: string | undefined, action: string, call: Call): Key => {
    const key = demand(reference, action, call);
    if (key.manager === 'CUSTOMER') return key;
    throw new ServiceError('AccessDeniedException', `${key.arn} is managed by AWS: nobody can change it.`);
  };
  const checkName = (name: string | undefined) => {
    if (name !== undefined && name !== 'default') throw notFound('No such policy exists');
  };
  const daysSince = (key: Key) => (clock.now() - key.createdAt) / toMilliseconds(days(1));

  return {
    GetKeyPolicy(input: GetKeyPolicyCommandInput, call: Call) {
      checkName(input.PolicyName);
      return { Policy: demand(input.KeyId, 'GetKeyPolicy', call).policy.text, PolicyName: 'default' };
    },
    ListKeyPolicies(input: ListKeyPoliciesCommandInput, call: Call) {
      demand(input.KeyId, 'ListKeyPolicies', call);
      return { PolicyNames: ['default'], Truncated: false };
    },
    PutKeyPolicy(input: PutKeyPolicyCommandInput, call: Call) {
      checkName(input.PolicyName);
      const key = demandOwn(input.KeyId, 'PutKeyPolicy', call);
      const policy = readKeyPolicy(input.Policy ?? '');
      if (input.BypassPolicyLockoutSafetyCheck !== true) demandWayBack(judge, { ...key, policy }, call);
      key.policy = policy;
      store.changed();
      return {};
    },
    EnableKeyRotation(input: EnableKeyRotationCommandInput, call: Call) {
      const key = demandOwn(input.KeyId, 'EnableKeyRotation', call);
      demandUsable(key);
      const wanted = input.RotationPeriodInDays ?? key.rotation ?? period.usual;
      if (!Number.isInteger(wanted) || wanted < period.least || wanted > period.most)
        throw validation(
          `RotationPeriodInDays is ${wanted}; allowed are whole days from ${period.least} to ${period.most}.`,
        );
      key.rotation = wanted;
      return {};
    },
    DisableKeyRotation(input: DisableKeyRotationCommandInput, call: Call) {
      const key = demandOwn(input.KeyId, 'DisableKeyRotation', call);
      demandUsable(key);
      key.rotation = undefined;
      return {};
    },
    GetKeyRotationStatus(input: GetKeyRotationStatusCommandInput, call: Call) {
      const key = demand(input.KeyId, 'GetKeyRotationStatus', call);
      if (key.rotation === undefined) return { KeyId: key.arn, KeyRotationEnabled: false };
      const next = Math.floor(daysSince(key) / key.rotation) + 1;
      return {
        KeyId: key.arn,
        KeyRotationEnabled: true,
        RotationPeriodInDays: key.rotation,
        NextRotationDate: new Date(key.createdAt + toMilliseconds(days(next * key.rotation))),
      };
    },
    /** New material at once; what was encrypted before is still decrypted. */
    RotateKeyOnDemand(input: RotateKeyOnDemandCommandInput, call: Call) {
      const key = demandOwn(input.KeyId, 'RotateKeyOnDemand', call);
      demandUsable(key);
      key.material.push(newMaterial(store.context));
      return { KeyId: key.arn };
    },
  };
}

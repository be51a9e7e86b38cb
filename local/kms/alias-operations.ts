import type {
  CreateAliasCommandInput,
  DeleteAliasCommandInput,
  ListAliasesCommandInput,
  UpdateAliasCommandInput,
} from '@aws-sdk/client-kms';
import { type Call, ServiceError } from '../service.ts';
import type { KeyAccess } from './access.ts';
import { invalidState, notFound, validation } from './errors.ts';
import { type Alias, managedServices } from './keys.ts';
import { pageOf } from './page.ts';

/** KMS API reference, CreateAlias. */
const legalName = /^alias\/[a-zA-Z0-9/_-]{1,250}$/;

/** The actions on aliases. */
export function aliasOperations({ store, demand, demandAction }: KeyAccess) {
  const { clock, account, region } = store.context;
  const arnOf = (name: string) => `arn:aws:kms:${region}:${account}:${name}`;

  const checkName = (name = ''): string => {
    if (!name.startsWith('alias/'))
      throw new ServiceError('InvalidAliasNameException', 'Alias must start with the prefix "alias/".');
    if (!legalName.test(name))
      throw validation(
        `Alias ${name} has characters that are not allowed: letters, digits and /_- are, up to 256 with the prefix.`,
      );
    // As on AWS: these names are kept for the keys that it manages.
    if (name.startsWith('alias/aws/')) throw new ServiceError('NotAuthorizedException', '');
    return name;
  };
  const existing = (name: string): Alias => {
    const alias = store.aliases.get(name);
    if (alias === undefined) throw notFound(`Alias ${arnOf(name)} is not found.`);
    return alias;
  };
  const target = (reference: string | undefined, action: string, call: Call) => {
    if (reference?.includes('alias/')) throw validation('Aliases must refer to keys. Not aliases.');
    const key = demand(reference, action, call);
    if (key.deletionAt !== undefined) throw invalidState(`${key.arn} is pending deletion.`);
    return key;
  };

  return {
    CreateAlias(input: CreateAliasCommandInput, call: Call) {
      const name = checkName(input.AliasName);
      const key = target(input.TargetKeyId, 'CreateAlias', call);
      if (store.aliases.has(name))
        throw new ServiceError(
          'AlreadyExistsException',
          `An alias with the name ${arnOf(name)} already exists`,
        );
      const now = clock.now();
      store.setAlias({ name, arn: arnOf(name), keyId: key.id, createdAt: now, updatedAt: now });
      return {};
    },
    UpdateAlias(input: UpdateAliasCommandInput, call: Call) {
      const name = checkName(input.AliasName);
      const alias = existing(name);
      const key = target(input.TargetKeyId, 'UpdateAlias', call);
      store.setAlias({ ...alias, keyId: key.id, updatedAt: clock.now() });
      return {};
    },
    DeleteAlias(input: DeleteAliasCommandInput, call: Call) {
      const name = checkName(input.AliasName);
      demand(existing(name).keyId, 'DeleteAlias', call);
      store.removeAlias(name);
      return {};
    },
    ListAliases(input: ListAliasesCommandInput, call: Call) {
      demandAction('ListAliases', call);
      const wanted = input.KeyId === undefined ? undefined : store.find(input.KeyId).id;
      const own = [...store.aliases.values()].filter(({ keyId }) => wanted === undefined || keyId === wanted);
      // AWS lists the aliases of its own keys before there is a key behind them.
      const unused = managedServices
        .map((service) => `alias/aws/${service}`)
        .filter((name) => wanted === undefined && !store.aliases.has(name))
        .map((name) => ({ AliasName: name, AliasArn: arnOf(name) }));
      const all = [
        ...own.map(({ name, arn, keyId, createdAt, updatedAt }) => ({
          AliasName: name,
          AliasArn: arn,
          TargetKeyId: keyId,
          CreationDate: new Date(createdAt),
          LastUpdatedDate: new Date(updatedAt),
        })),
        ...unused,
      ].sort((a, b) => (a.AliasName < b.AliasName ? -1 : 1));
      const { page, more } = pageOf(all, input);
      return { Aliases: page, ...more };
    },
  };
}

import { ServiceError } from '../service.ts';
import type { Template } from './template.ts';

/** Types for which a stack has to be allowed to change rights (CloudFormation API reference, CreateStack, "Capabilities"). */
const rights: ReadonlySet<string> = new Set([
  'AWS::IAM::AccessKey',
  'AWS::IAM::Group',
  'AWS::IAM::InstanceProfile',
  'AWS::IAM::ManagedPolicy',
  'AWS::IAM::Policy',
  'AWS::IAM::Role',
  'AWS::IAM::User',
  'AWS::IAM::UserToGroupAddition',
]);

/** Properties by which such a resource is given a name of one's own. */
const names = ['RoleName', 'ManagedPolicyName', 'GroupName', 'UserName', 'InstanceProfileName'];

/** The capability that a template needs, if any. */
export type Capability = 'CAPABILITY_IAM' | 'CAPABILITY_NAMED_IAM';

/** What a template needs, and the types that need it. */
export function capabilitiesOf(template: Template): {
  readonly needed: Capability | undefined;
  readonly types: readonly string[];
} {
  const found = Object.values(template.Resources ?? {}).filter(({ Type }) => rights.has(Type));
  if (found.length === 0) return { needed: undefined, types: [] };
  const named = found.some(({ Properties = {} }) => names.some((name) => Properties[name] !== undefined));
  return {
    needed: named ? 'CAPABILITY_NAMED_IAM' : 'CAPABILITY_IAM',
    types: [...new Set(found.map(({ Type }) => Type))],
  };
}

/** @throws ServiceError InsufficientCapabilitiesException when the template needs a capability that was not given */
export function demandCapabilities(template: Template, given: readonly string[] = []): void {
  const { needed } = capabilitiesOf(template);
  if (needed === undefined || given.includes('CAPABILITY_NAMED_IAM') || given.includes(needed)) return;
  throw new ServiceError('InsufficientCapabilitiesException', `Requires capabilities : [${needed}]`);
}

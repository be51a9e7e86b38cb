import type { Random } from '../../../lib/base/index.ts';
import type { Properties, ResourceProvider } from '../provider.ts';

const reason = 'the model has no networks: what runs in it reaches everything';

/** `sg-0123456789abcdef0`: an identifier as EC2 gives them. */
function identifier(prefix: string, random: Random): string {
  const digits = Array.from({ length: 17 }, () => Math.floor(random.next() * 16).toString(16));
  return `${prefix}-${digits.join('')}`;
}

/** What is kept by its identifier, and has no effect. */
function kept(
  prefix: string,
  ignored: readonly string[],
  replacedBy: readonly string[],
  attributesOf: (id: string, properties: Properties) => Readonly<Record<string, unknown>>,
): ResourceProvider {
  return {
    properties: [],
    ignored: Object.fromEntries(ignored.map((name) => [name, reason])),
    attributes: Object.keys(attributesOf('', {})),
    replacedBy,
    async create(properties, { context }) {
      const physicalId = identifier(prefix, context.random);
      return { physicalId, attributes: attributesOf(physicalId, properties) };
    },
    update: async (made) => made,
    async delete() {},
  };
}

/** AWS::EC2::SecurityGroup: a function in a VPC that is there already has one of its own. */
export const securityGroup = kept(
  'sg',
  ['GroupDescription', 'GroupName', 'SecurityGroupEgress', 'SecurityGroupIngress', 'Tags', 'VpcId'],
  ['GroupDescription', 'GroupName', 'VpcId'],
  (id, { VpcId }) => ({ GroupId: id, Id: id, VpcId }),
);

const rule = ['CidrIp', 'CidrIpv6', 'Description', 'FromPort', 'GroupId', 'IpProtocol', 'ToPort'];
const fixed = ['CidrIp', 'CidrIpv6', 'FromPort', 'GroupId', 'IpProtocol', 'ToPort'];

/** AWS::EC2::SecurityGroupIngress. */
export const securityGroupIngress = kept(
  'sgr',
  [...rule, 'SourcePrefixListId', 'SourceSecurityGroupId'],
  [...fixed, 'SourcePrefixListId', 'SourceSecurityGroupId'],
  (Id) => ({ Id }),
);

/** AWS::EC2::SecurityGroupEgress. */
export const securityGroupEgress = kept(
  'sgr',
  [...rule, 'DestinationPrefixListId', 'DestinationSecurityGroupId'],
  [...fixed, 'DestinationPrefixListId', 'DestinationSecurityGroupId'],
  (Id) => ({ Id }),
);

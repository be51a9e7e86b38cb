import { evaluate, noValue, type Scope } from '../../local/index.ts';
import { attributeOf } from './attributes.ts';
import type { Consumer } from './consumer.ts';
import type { DeployedStack } from './deployed.ts';
import { WorkFault } from './errors.ts';

/**
 * Variables by which the SDK's clients know where to go and as whom. They belong to the place, for every client of this
 * process; a function has none of them from its stack that could lead it elsewhere.
 */
const steering =
  /^AWS_(ENDPOINT_URL|IGNORE_CONFIGURED_|PROFILE|REGION|DEFAULT_|ACCESS_KEY_|SECRET_|SESSION_|CONFIG_|SHARED_|WEB_IDENTITY_|ROLE_|CONTAINER_|USE_)/;

/**
 * @throws {WorkFault} when a variable that the user gave leads to another place than the flags
 */
export function demandOwnPlace(given: Readonly<Record<string, string>>): void {
  const name = Object.keys(given).find((each) => steering.test(each));
  if (name !== undefined)
    throw new WorkFault(
      'usage',
      `--env ${name} would lead elsewhere: --endpoint, --profile and --region say where to work.`,
    );
}

/**
 * The variables of a consumer as its function would find them in the deployed stack.
 *
 * @param given - variables whose values are said by the user, and not asked for
 * @throws {WorkFault} naming every variable whose value cannot be found, and why
 */
export function resolveVariables(
  consumer: Consumer,
  deployed: DeployedStack,
  given: Readonly<Record<string, string>>,
): Record<string, string> {
  const scope = scopeOf(consumer, deployed);
  const faults: string[] = [];
  const values: Record<string, string> = {};
  for (const [name, value] of Object.entries(consumer.variables)) {
    if (Object.hasOwn(given, name) || steering.test(name)) continue;
    try {
      const found = evaluate(value, scope);
      if (found === noValue) continue;
      if (/\{\{resolve:/.test(String(found)))
        throw new Error('it is a dynamic reference, which only AWS resolves');
      values[name] = String(found);
    } catch (error) {
      faults.push(`${name} (${(error as Error).message})`);
    }
  }
  if (faults.length > 0)
    throw new WorkFault(
      'failure',
      `the value of ${faults.join(', ')} cannot be found in the deployed stack ${deployed.name}. Deploy the app as it is now, or give the value: --env ${faults[0]!.split(' ')[0]}=VALUE.`,
    );
  return { ...values, ...given };
}

function scopeOf(consumer: Consumer, deployed: DeployedStack): Scope {
  const { template } = consumer.stack;
  // What a server told as an output is its own word for the value.
  const told = new Map<string, string>();
  for (const [key, { Value }] of Object.entries(template.Outputs ?? {})) {
    const output = deployed.outputs.get(key);
    if (output !== undefined) told.set(JSON.stringify(Value), output);
  }
  const pseudo: Readonly<Record<string, unknown>> = {
    'AWS::AccountId': deployed.account,
    'AWS::NoValue': noValue,
    'AWS::Partition': deployed.partition,
    'AWS::Region': deployed.region,
    'AWS::StackId': deployed.id,
    'AWS::StackName': deployed.name,
    'AWS::URLSuffix': deployed.partition === 'aws-cn' ? 'amazonaws.com.cn' : 'amazonaws.com',
  };
  const resourceOf = (logicalId: string) => {
    const found = deployed.resources.get(logicalId);
    if (found === undefined) throw new Error(`${logicalId} is not deployed`);
    return found;
  };
  const scope: Scope = {
    region: deployed.region,
    ref(name) {
      if (Object.hasOwn(pseudo, name)) return pseudo[name];
      const parameter = template.Parameters?.[name];
      if (parameter !== undefined) {
        const value = deployed.parameters.get(name) ?? parameter.Default;
        if (value === undefined) throw new Error(`parameter ${name} has no value`);
        if (/^\*+$/.test(String(value))) throw new Error(`parameter ${name} is not shown (NoEcho)`);
        return /^(CommaDelimitedList|List<)/.test(parameter.Type) ? String(value).split(',') : value;
      }
      return told.get(JSON.stringify({ Ref: name })) ?? resourceOf(name).physicalId;
    },
    attribute(logicalId, name) {
      const output = told.get(JSON.stringify({ 'Fn::GetAtt': [logicalId, name] }));
      if (output !== undefined) return output;
      const { type, physicalId } = resourceOf(logicalId);
      const value = attributeOf(type, physicalId, name, deployed);
      if (value === undefined)
        throw new Error(`${name} of ${logicalId} (${type}) is not told by a deployed stack`);
      return value;
    },
    condition(name) {
      const definition = template.Conditions?.[name];
      if (definition === undefined) throw new Error(`condition ${name} does not exist`);
      return String(evaluate(definition, scope)) === 'true';
    },
    mapping(map, first, second) {
      const value = template.Mappings?.[map]?.[first]?.[second];
      if (value === undefined) throw new Error(`mapping ${map} has no value for ${first}, ${second}`);
      return value;
    },
    importValue(name) {
      const value = deployed.exports.get(name);
      if (value === undefined) throw new Error(`no stack exports ${name}`);
      return value;
    },
  };
  return scope;
}

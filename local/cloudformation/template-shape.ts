import { ServiceError } from '../service.ts';
import { isObject, type Template } from './template.ts';

/** A text that is no template. */
export const formatError = (message: string, cause?: unknown): ServiceError =>
  new ServiceError('ValidationError', `Template format error: ${message}`, { cause });

/** Logical ids, and names of parameters and outputs (CloudFormation user guide, "Resources syntax"). */
const alphanumeric = /^[A-Za-z0-9]+$/;

/** Entries of one section (CloudFormation user guide, "Understand CloudFormation quotas"). */
const most = { Resources: 500, Parameters: 200, Outputs: 200, Mappings: 200 } as const;

/** Levels of lists and objects in each other: whoever walks through a template does it by recursion. */
const deepest = 100;

type Entries = Readonly<Record<string, unknown>>;

/**
 * Sees to it that a value has the shape of a template, so that nobody who reads one has to ask again. Its sections have
 * no prototype: a name like `constructor` is there only when the template has it.
 *
 * @throws ServiceError ValidationError that names the place
 */
export function shapeOf(value: unknown): Template {
  demandShallow(value, 0);
  if (!isObject(value)) throw formatError('unsupported structure.');
  const sections: Record<string, Entries> = {};
  for (const name of ['Resources', 'Parameters', 'Mappings', 'Conditions', 'Outputs', 'Rules']) {
    const section = value[name];
    if (section === undefined || (section === null && name !== 'Resources')) continue;
    if (!isObject(section)) throw formatError(`[/${name}] ${name} must be an object.`);
    const limit: number | undefined = most[name as keyof typeof most];
    const count = Object.keys(section).length;
    if (limit !== undefined && count > limit)
      throw formatError(
        `Number of ${name.toLowerCase()}, ${count}, is greater than maximum allowed, ${limit}`,
      );
    sections[name] = bare(section);
  }
  const { Resources, Parameters = {}, Mappings, Outputs = {} } = sections;
  if (Resources === undefined || Object.keys(Resources).length === 0)
    throw formatError('At least one Resources member must be defined.');
  for (const [name, entry] of Object.entries(Resources)) checkResource(name, entry);
  for (const [name, entry] of Object.entries(Parameters)) checkParameter(name, entry);
  for (const [name, entry] of Object.entries(Outputs)) checkOutput(name, entry);
  if (Mappings !== undefined) sections.Mappings = mappingsOf(Mappings);
  const others = Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== null));
  return { ...others, ...sections } as Template;
}

const bare = (entries: Entries): Entries => Object.assign(Object.create(null), entries);

function demandShallow(value: unknown, depth: number): void {
  if (typeof value !== 'object' || value === null) return;
  if (depth === deepest) throw formatError(`it is nested more than ${deepest} levels deep.`);
  for (const entry of Object.values(value)) demandShallow(entry, depth + 1);
}

function demandName(section: string, name: string): void {
  if (!alphanumeric.test(name))
    throw formatError(
      `${section} name ${name} is non alphanumeric: letters A-Z, a-z and digits are allowed.`,
    );
}

function checkResource(name: string, resource: unknown): void {
  const place = `[/Resources/${name}]`;
  if (!isObject(resource) || typeof resource.Type !== 'string')
    throw formatError(`${place} Every Resources object must contain a Type member.`);
  demandName('Resource', name);
  const { Properties, DependsOn, Condition, DeletionPolicy, UpdateReplacePolicy } = resource;
  if (Properties !== undefined && Properties !== null && !isObject(Properties))
    throw formatError(`${place} Properties must be an object.`);
  if (DependsOn !== undefined && ![DependsOn].flat().every((needed) => typeof needed === 'string'))
    throw formatError(`${place} DependsOn must be a logical id or a list of them.`);
  if (Condition !== undefined && typeof Condition !== 'string')
    throw formatError(`${place} Condition must be the name of a condition.`);
  demandPolicy(place, 'DeletionPolicy', DeletionPolicy, ['Delete', 'Retain', 'RetainExceptOnCreate']);
  demandPolicy(place, 'UpdateReplacePolicy', UpdateReplacePolicy, ['Delete', 'Retain']);
}

/** Snapshot is for databases and volumes, none of which the model has (CloudFormation user guide, "DeletionPolicy"). */
function demandPolicy(place: string, name: string, policy: unknown, allowed: readonly string[]): void {
  if (policy === undefined || allowed.includes(policy as string)) return;
  const found = JSON.stringify(policy);
  throw formatError(`${place} ${name} is ${found}; for such a resource there are ${allowed.join(', ')}.`);
}

const isScalar = (value: unknown): boolean => ['string', 'number', 'boolean'].includes(typeof value);

function checkParameter(name: string, parameter: unknown): void {
  const place = `[/Parameters/${name}]`;
  if (!isObject(parameter) || typeof parameter.Type !== 'string')
    throw formatError(`${place} Every Parameters object must contain a Type member.`);
  demandName('Parameter', name);
  const { Default, AllowedValues, AllowedPattern } = parameter;
  if (Default !== undefined && ![Default].flat().every(isScalar))
    throw formatError(`${place} Every Default member must be a string.`);
  if (AllowedValues !== undefined && !(Array.isArray(AllowedValues) && AllowedValues.every(isScalar)))
    throw formatError(`${place} AllowedValues must be a list of values.`);
  if (AllowedPattern === undefined) return;
  try {
    new RegExp(String(AllowedPattern));
  } catch (cause) {
    throw formatError(`${place} AllowedPattern ${AllowedPattern} is not a regular expression.`, cause);
  }
}

/** What AWS says of an output that is no text. */
export const outputRule = 'The Value field of every Outputs member must evaluate to a String.';

function checkOutput(name: string, output: unknown): void {
  if (!isObject(output) || output.Value === undefined || output.Value === null)
    throw formatError(`[/Outputs/${name}] Every Outputs member must contain a Value object.`);
  if (Array.isArray(output.Value)) throw formatError(`Output ${name} is malformed. ${outputRule}`);
  demandName('Output', name);
}

function mappingsOf(mappings: Entries): Entries {
  const two = Object.entries(mappings).map(([name, rows]) => {
    if (!isObject(rows)) throw formatError(`[/Mappings/${name}] Every Mappings member must be a map.`);
    const read = Object.entries(rows).map(([key, row]) => {
      if (!isObject(row))
        throw formatError(`[/Mappings/${name}/${key}] Every Mappings attribute must be a map.`);
      return [key, bare(row)] as const;
    });
    return [name, bare(Object.fromEntries(read))] as const;
  });
  return bare(Object.fromEntries(two));
}

import { type NamedOperation, ServiceError } from '../service.ts';
import { masked } from './secrets.ts';
import type { TemplateParameter } from './template.ts';

/** Where CDK keeps the version of its bootstrap resources: without SSM the model stands for a bootstrapped account. */
const bootstrapParameter = '/cdk-bootstrap/hnb659fds/version';
const bootstrapVersion = '30';

/** A parameter's value in a stack. */
export interface ParameterValue {
  /** As it was given, or the default; for a parameter of SSM that is its name. */
  readonly given: string;
  /** What `Ref` gives. */
  readonly value: string | readonly string[];
  /** Read from SSM. */
  readonly resolved: boolean;
  /** NoEcho: shown to nobody. */
  readonly secret: boolean;
}

/** The parameters of a stack, by name. */
export type ParameterValues = ReadonlyMap<string, ParameterValue>;

/** What a parameter is given: a value, or the one that the stack has. */
export type GivenParameter = string | { readonly previous: true };

/** Where values come from besides the request. */
export interface ParameterSources {
  readonly previous: ParameterValues | undefined;
  /** GetParameter of SSM. */
  readonly getParameter: NamedOperation | undefined;
  /** Answers the version of the bootstrap resources also when SSM has none: nothing had to be bootstrapped. */
  readonly bootstrapped: boolean;
}

/** Values of a stack's parameters, and what is wrong with them. */
export interface ReadParameters {
  readonly values: ParameterValues;
  readonly faults: readonly string[];
  /** The same faults in AWS's words, as far as these say the same. */
  readonly message: string | undefined;
}

/** Finds the value of each parameter: the given one, the stack's, the default; for those of SSM what stands there. */
export async function parametersOf(
  declared: Readonly<Record<string, TemplateParameter>>,
  given: Readonly<Record<string, GivenParameter>>,
  sources: ParameterSources,
): Promise<ReadParameters> {
  const faults: string[] = [];
  const values = new Map<string, ParameterValue>();
  const missing: string[] = [];
  const unknown = Object.keys(given).filter((name) => !Object.hasOwn(declared, name));
  const others: string[] = [];
  for (const name of unknown) {
    const known = Object.keys(declared).join(', ') || 'none';
    faults.push(`Parameter ${name} does not exist in the template; there are: ${known}.`);
  }
  for (const [name, parameter] of Object.entries(declared)) {
    const text = textOf(
      name,
      parameter,
      Object.hasOwn(given, name) ? given[name] : undefined,
      sources.previous,
    );
    if (text === undefined) {
      missing.push(name);
      faults.push(`Parameter ${name} has no value and no default.`);
      continue;
    }
    const read = await readValue(parameter, text, sources);
    if ('faults' in read) {
      for (const fault of read.faults) others.push(`Parameter ${name} ${fault}`);
      continue;
    }
    const { value, resolved } = read;
    values.set(name, { given: text, value, resolved, secret: isSecret(parameter) });
  }
  return {
    values,
    faults: [...faults, ...others],
    message:
      missing.length > 0
        ? `Parameters: [${missing.join(', ')}] must have values`
        : unknown.length > 0
          ? `Parameters: [${unknown.join(', ')}] do not exist in the template`
          : others[0],
  };
}

const isSecret = ({ NoEcho }: TemplateParameter): boolean => String(NoEcho) === 'true';

function textOf(
  name: string,
  parameter: TemplateParameter,
  given: GivenParameter | undefined,
  previous: ParameterValues | undefined,
): string | undefined {
  if (typeof given === 'string') return given;
  if (given !== undefined) {
    const kept = previous?.get(name)?.given;
    if (kept !== undefined) return kept;
  }
  return parameter.Default === undefined ? undefined : String(parameter.Default);
}

async function readValue(
  parameter: TemplateParameter,
  text: string,
  sources: ParameterSources,
): Promise<
  | { readonly value: string | readonly string[]; readonly resolved: boolean }
  | { readonly faults: readonly string[] }
> {
  const { Type } = parameter;
  const isList = /^CommaDelimitedList$|^List<|<(CommaDelimitedList|List<.*>)>$/.test(Type);
  const split = (whole: string) => (isList ? whole.split(',').map((entry) => entry.trim()) : [whole]);
  const fromStore = Type.startsWith('AWS::SSM::Parameter::Value<');
  const stored = fromStore ? await readStored(text, sources) : text;
  if (stored === undefined) {
    return {
      faults: [
        sources.getParameter === undefined
          ? `reads ${text} from SSM, which the model does not have.`
          : `reads ${text} from SSM: Unable to fetch parameters [${text}] from parameter store for this account.`,
      ],
    };
  }
  const entries = split(stored);
  if (!fromStore) {
    const faults = entries.flatMap((entry) => {
      const fault = faultOf(parameter, entry);
      const shown = isSecret(parameter) ? masked : entry;
      return fault === undefined ? [] : [`is "${shown}": ${fault}.`];
    });
    if (faults.length > 0) return { faults };
  }
  return { value: isList ? entries : stored, resolved: fromStore };
}

async function readStored(name: string, sources: ParameterSources): Promise<string | undefined> {
  const builtIn = name === bootstrapParameter ? bootstrapVersion : undefined;
  if (sources.getParameter === undefined) return builtIn;
  try {
    const answer = (await sources.getParameter({ Name: name }, {})) as { Parameter?: { Value?: string } };
    return answer.Parameter?.Value;
  } catch (error) {
    if (!(error instanceof ServiceError) || error.name !== 'ParameterNotFound') throw error;
    return sources.bootstrapped ? builtIn : undefined;
  }
}

function faultOf(parameter: TemplateParameter, value: string): string | undefined {
  const { AllowedValues, AllowedPattern, MinLength, MaxLength, MinValue, MaxValue, Type } = parameter;
  if ((Type === 'Number' || Type === 'List<Number>') && (value === '' || !Number.isFinite(Number(value)))) {
    return 'it has to be a number';
  }
  if (AllowedValues !== undefined && !AllowedValues.map(String).includes(value)) {
    return `allowed are ${AllowedValues.join(', ')}`;
  }
  if (AllowedPattern !== undefined && !new RegExp(`^(?:${AllowedPattern})$`).test(value)) {
    return parameter.ConstraintDescription ?? `it has to match ${AllowedPattern}`;
  }
  if (MinLength !== undefined && value.length < Number(MinLength)) return `it needs ${MinLength} characters`;
  if (MaxLength !== undefined && value.length > Number(MaxLength)) return `at most ${MaxLength} characters`;
  if (MinValue !== undefined && Number(value) < Number(MinValue)) return `at least ${MinValue}`;
  if (MaxValue !== undefined && Number(value) > Number(MaxValue)) return `at most ${MaxValue}`;
  return undefined;
}

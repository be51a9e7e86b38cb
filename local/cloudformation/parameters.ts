import type { TemplateParameter } from './template.ts';

/** Where CDK keeps the version of its bootstrap resources: the model stands for a bootstrapped account. */
const bootstrapParameter = '/cdk-bootstrap/hnb659fds/version';
const bootstrapVersion = '30';

/** Values of a stack's parameters, and what is wrong with them. */
export function parametersOf(
  declared: Readonly<Record<string, TemplateParameter>>,
  given: Readonly<Record<string, string>>,
): { readonly values: ReadonlyMap<string, string | readonly string[]>; readonly faults: readonly string[] } {
  const faults: string[] = [];
  const values = new Map<string, string | readonly string[]>();
  for (const name of Object.keys(given)) {
    if (Object.hasOwn(declared, name)) continue;
    const known = Object.keys(declared).join(', ') || 'none';
    faults.push(`Parameter ${name} does not exist in the template; there are: ${known}.`);
  }
  for (const [name, parameter] of Object.entries(declared)) {
    const value = given[name] ?? (parameter.Default === undefined ? undefined : String(parameter.Default));
    if (value === undefined) {
      faults.push(`Parameter ${name} has no value and no default.`);
      continue;
    }
    if (parameter.Type.startsWith('AWS::SSM::Parameter::')) {
      if (value === bootstrapParameter) values.set(name, bootstrapVersion);
      else faults.push(`Parameter ${name} reads ${value} from SSM, which the model does not have.`);
      continue;
    }
    const isList = parameter.Type === 'CommaDelimitedList' || parameter.Type.startsWith('List<');
    const entries = isList ? value.split(',').map((entry) => entry.trim()) : [value];
    for (const entry of entries) {
      const fault = faultOf(parameter, entry);
      if (fault !== undefined) faults.push(`Parameter ${name} is "${entry}": ${fault}.`);
    }
    values.set(name, isList ? entries : value);
  }
  return { values, faults };
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

import type { Random } from '../../lib/base/index.ts';
import type { IamStore } from '../iam/index.ts';
import type { KeyGuard } from '../kms/index.ts';
import type { Call, ModelContext, Operation, Service } from '../service.ts';

/** The services that resources are made in. */
export interface DeploymentServices {
  readonly sqs: Pick<Service, 'operations'>;
  readonly sns: Pick<Service, 'operations'>;
  readonly dynamodb: Pick<Service, 'operations'>;
  readonly cloudwatch: Pick<Service, 'operations'>;
  readonly lambda: Pick<Service, 'operations'> & {
    provideCode(bucket: string, key: string, folder: string): void;
  };
  /** Without it, buckets are refused by name before anything is made; the same goes for those that follow. */
  readonly s3?: Pick<Service, 'operations'>;
  readonly ssm?: Pick<Service, 'operations'>;
  readonly ecr?: Pick<Service, 'operations'>;
  readonly kms?: Pick<Service, 'operations'> & { readonly keys?: KeyGuard };
}

/** Properties of a resource, with every reference resolved. */
export type Properties = Readonly<Record<string, unknown>>;

/** What a provider is given besides the properties. */
export interface ProviderContext {
  readonly context: ModelContext;
  readonly services: DeploymentServices;
  readonly iam: IamStore;
  readonly stackName: string;
  readonly logicalId: string;
  /** A name as CloudFormation makes them: stack, logical id, random characters; at most `limit` characters. */
  name(limit: number, suffix?: string): string;
  /** The stack's other resources of the same type, as they are by now. */
  others(): readonly Sibling[];
  /** Says that something in this resource has no effect. */
  warn(message: string): void;
}

/** A resource that was made: its physical id is what `Ref` gives. */
export interface Made {
  readonly physicalId: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** Another resource of a stack. */
export interface Sibling {
  readonly logicalId: string;
  readonly properties: Properties;
  readonly made: Made;
}

/** How one type of resource is made and removed. */
export interface ResourceProvider {
  /** Properties that have their effect. */
  readonly properties: readonly string[];
  /** Properties that are taken and have none, each with the reason: a warning names them. */
  readonly ignored?: Readonly<Record<string, string>>;
  /**
   * Further things that have no effect, or another than on AWS, seen in the properties as they are in the template: a
   * warning names the resources that have the same.
   */
  notes?(properties: Properties): readonly string[];
  /** Properties that grant or refuse rights, which the model keeps and judges no call by: one warning names them all. */
  readonly unenforced?: readonly string[];
  /** Attributes that Fn::GetAtt may ask for. */
  readonly attributes: readonly string[];
  /** Actions without which the type cannot be made, by service. */
  readonly needs?: Partial<Record<keyof DeploymentServices, readonly string[]>>;
  /** Further faults, seen in the properties as they are in the template. */
  check?(properties: Properties, context: ModelContext): readonly string[];
  /**
   * Properties whose change needs a new resource ("Update requires: Replacement" of the CloudFormation template
   * reference); a change of any other is an {@link update}.
   *
   * @default - none
   */
  readonly replacedBy?: readonly string[];
  /** Further properties that need a new resource in this very change, where the names alone do not tell. */
  replaces?(before: Properties, after: Properties): readonly string[];
  /** The property that names the resource: with one given, CloudFormation refuses to replace it under the same name. */
  readonly nameProperty?: string;
  create(properties: Properties, context: ProviderContext): Promise<Made>;
  /**
   * Changes a resource in place. It must also lead back: an update that fails is undone by updating again, from the new
   * properties to the old. A type without it gets a new resource at any change.
   */
  update?(made: Made, before: Properties, after: Properties, context: ProviderContext): Promise<Made>;
  delete(made: Made, properties: Properties, context: ProviderContext): Promise<void>;
}

const cloudFormation: Call = { principal: { service: 'cloudformation.amazonaws.com' } };

/** Calls an action of a service on behalf of a stack; input and output are those of the SDK. */
export async function call<Output = object, Input extends object = object>(
  service: Pick<Service, 'operations'> | undefined,
  action: string,
  input: Input,
): Promise<Omit<Output, '$metadata'>> {
  const operation = service?.operations[action] as
    | Operation<Input, Omit<Output, '$metadata'> & object>
    | undefined;
  if (operation === undefined) throw new Error(`The model's service has no action ${action}`);
  return operation(input, cloudFormation);
}

/** Whether a service has an action. */
export const has = (service: Pick<Service, 'operations'> | undefined, action: string): boolean =>
  service?.operations[action] !== undefined;

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** A physical name as CloudFormation makes them; what is too long loses the end of its logical id, then of its stack. */
export function physicalName(
  random: Random,
  stackName: string,
  logicalId: string,
  limit: number,
  suffix = '',
): string {
  let end = '-';
  for (let count = 0; count < 12; count++) end += alphabet[Math.floor(random.next() * alphabet.length)];
  end += suffix;
  const room = limit - end.length;
  const stack = stackName.slice(0, Math.max(Math.floor(room / 2), room - logicalId.length - 1));
  return `${stack}-${logicalId.slice(0, room - stack.length - 1)}${end}`;
}

/** A number that a template may write as text. */
export const asNumber = (value: unknown): number | undefined =>
  value === undefined ? undefined : Number(value);

/** A truth value that a template may write as text. */
export const asBoolean = (value: unknown): boolean | undefined =>
  value === undefined ? undefined : value === true || value === 'true';

/** The text of an attribute: JSON for policies, which a template holds as objects. */
export const asText = (value: unknown): string =>
  typeof value === 'object' ? JSON.stringify(value) : String(value);

/** `[{ Key, Value }]` as a record. */
export const tagsOf = (value: unknown): Record<string, string> =>
  Array.isArray(value)
    ? Object.fromEntries(value.map((tag: { Key: string; Value: string }) => [tag.Key, String(tag.Value)]))
    : Object.fromEntries(
        Object.entries((value ?? {}) as Record<string, unknown>).map(([key, tag]) => [key, String(tag)]),
      );

/** The attributes among `names` that the properties have, as texts. */
export function attributesOf(properties: Properties, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.filter((name) => properties[name] !== undefined).map((name) => [name, asText(properties[name])]),
  );
}

/** The properties without those that are `undefined`. */
export const defined = <Value extends object>(value: Value): Value =>
  Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined)) as Value;

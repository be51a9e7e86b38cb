/** A CloudFormation template, as far as the model reads it. */
export interface Template {
  readonly Description?: string;
  readonly Metadata?: unknown;
  readonly Parameters?: Readonly<Record<string, TemplateParameter>>;
  readonly Mappings?: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, unknown>>>>>>;
  readonly Conditions?: Readonly<Record<string, unknown>>;
  readonly Resources?: Readonly<Record<string, TemplateResource>>;
  readonly Outputs?: Readonly<Record<string, TemplateOutput>>;
  readonly Rules?: Readonly<Record<string, unknown>>;
  readonly Transform?: unknown;
}

/** A parameter of a template. */
export interface TemplateParameter {
  readonly Type: string;
  readonly Default?: string | number | readonly string[];
  readonly Description?: string;
  /** Its value is shown to nobody. */
  readonly NoEcho?: boolean | string;
  readonly AllowedValues?: readonly (string | number)[];
  readonly AllowedPattern?: string;
  readonly ConstraintDescription?: string;
  readonly MinLength?: number | string;
  readonly MaxLength?: number | string;
  readonly MinValue?: number | string;
  readonly MaxValue?: number | string;
}

/** A resource of a template. */
export interface TemplateResource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
  readonly DependsOn?: string | readonly string[];
  readonly Condition?: string;
  /** What becomes of it when it leaves the stack, or the stack is deleted. */
  readonly DeletionPolicy?: string;
  /** What becomes of it when a new one takes its place. */
  readonly UpdateReplacePolicy?: string;
  readonly Metadata?: unknown;
}

/** An output of a template. */
export interface TemplateOutput {
  readonly Value: unknown;
  readonly Description?: string;
  readonly Condition?: string;
  readonly Export?: { readonly Name: unknown };
}

/** Whether a value is an object with fields, as opposed to a list or a plain value. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

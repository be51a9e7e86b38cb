/**
 * One stack's template as it will be deployed, for {@link readGraph}.
 *
 * @example
 * ```ts
 * const stack: StackTemplate = {
 *   path: 'Shop',
 *   name: 'Shop',
 *   template: { Resources: { Queue: { Type: 'AWS::SQS::Queue' } } },
 * };
 * ```
 */
export interface StackTemplate {
  /** What names the stack in findings, unique among all that are read. */
  readonly path: string;
  /** The stack's name, by which other stacks refer to its outputs; left out where it is not known. */
  readonly name?: string | undefined;
  /** Where it is deployed to, as far as that is known. */
  readonly account?: string | undefined;
  readonly region?: string | undefined;
  /** For a nested stack: the path of the stack that holds it, and the logical id of the resource there. */
  readonly parent?: { readonly path: string; readonly logicalId: string } | undefined;
  readonly template: Template;
  /** By logical id: what is known of a resource besides its template. */
  readonly notes?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** The parts of a CloudFormation template that the rules read. */
export interface Template {
  readonly Resources?: Readonly<Record<string, TemplateResource>> | undefined;
  readonly Outputs?:
    | Readonly<Record<string, { readonly Value?: unknown; readonly Export?: { readonly Name?: unknown } }>>
    | undefined;
}

/** A resource as the template says it. */
export interface TemplateResource {
  readonly Type: string;
  readonly Properties?: unknown;
  readonly Condition?: unknown;
}

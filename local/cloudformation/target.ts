import type { IamStore } from '../iam/index.ts';
import { type ModelContext, ServiceError } from '../service.ts';
import { checkTemplate, type TemplateFault } from './check.ts';
import { messageOf } from './events.ts';
import { type GivenParameter, type ParameterValues, parametersOf } from './parameters.ts';
import type { DeploymentServices, ResourceProvider } from './provider.ts';
import { brokenRules } from './rules.ts';
import { createScope } from './scope.ts';
import type { StackListener, StackSettings, StackStore } from './stacks.ts';
import type { ReadObject, TemplateSource } from './template-source.ts';

/** What deploying stands on. */
export interface DeploymentParts {
  readonly context: ModelContext;
  readonly services: DeploymentServices;
  readonly iam: IamStore;
  readonly store: StackStore;
  readonly readObject: ReadObject;
  /** How each type of resource is made; a type that is not here is refused. */
  readonly providers: Readonly<Record<string, ResourceProvider>>;
  readonly heard: StackListener;
}

/** What a stack is to become: a template that was checked, with values for its parameters. */
export interface Target {
  readonly source: TemplateSource;
  readonly parameters: ParameterValues;
  readonly settings: StackSettings;
  /** Logical ids of the resources whose conditions hold. */
  readonly wanted: ReadonlySet<string>;
  /** The same, each after what it needs. */
  readonly order: readonly string[];
  readonly warnings: readonly string[];
}

/** A target with everything that keeps it from being reached. */
export interface CheckedTarget {
  readonly target: Target;
  readonly faults: readonly TemplateFault[];
  /** What is wrong with the parameters alone, in AWS's words. */
  readonly parameterFault: string | undefined;
}

/** What a target is made of. */
export interface TargetInput {
  readonly stack: { readonly name: string; readonly id: string };
  readonly source: TemplateSource;
  readonly given: Readonly<Record<string, GivenParameter>>;
  readonly previous: ParameterValues | undefined;
  readonly settings: StackSettings;
  /** See `ParameterSources.bootstrapped`. */
  readonly bootstrapped: boolean;
}

/** Checks a template and the values of its parameters; nothing is made or changed. */
export async function checkTarget(input: TargetInput, parts: DeploymentParts): Promise<CheckedTarget> {
  const { source, settings, stack } = input;
  const { template } = source;
  const { context, services } = parts;
  const read = await parametersOf(template.Parameters ?? {}, input.given, {
    previous: input.previous,
    getParameter: services.ssm?.operations.GetParameter,
    bootstrapped: input.bootstrapped,
  });
  const faults: TemplateFault[] = read.faults.map((text) => ({ text, wrong: true }));
  // Conditions and rules see parameters alone.
  const scope = createScope(
    template,
    stack,
    context,
    read.values,
    () => undefined,
    () => undefined,
  );
  const wanted = new Set<string>();
  for (const [logicalId, { Condition, Type }] of Object.entries(template.Resources ?? {})) {
    try {
      if (Condition === undefined || scope.condition(Condition)) wanted.add(logicalId);
    } catch (error) {
      // A missing value was named already; what follows from it is not.
      if (read.faults.length > 0) continue;
      faults.push({
        text: `${logicalId} (${Type}): ${messageOf(error)}.`,
        wrong: true,
        logicalId,
        type: Type,
      });
    }
  }
  if (read.faults.length === 0)
    faults.push(...brokenRules(template, scope).map((text) => ({ text, wrong: true })));
  const checked = checkTemplate(template, wanted, parts.providers, services, context);
  return {
    target: {
      source,
      parameters: read.values,
      settings,
      wanted,
      order: checked.order,
      warnings: checked.warnings,
    },
    faults: [...faults, ...checked.faults],
    parameterFault: read.message,
  };
}

/** @throws ServiceError ValidationError when the request is wrong on AWS too; what the model lacks is told otherwise */
export function demandWellFormed({ faults, parameterFault }: CheckedTarget): void {
  if (parameterFault !== undefined) throw new ServiceError('ValidationError', parameterFault);
  const wrong = faults.filter((fault) => fault.wrong).map(({ text }) => text);
  if (wrong.length > 0)
    throw new ServiceError('ValidationError', `Template format error: ${wrong.join(' ')}`);
}

import { CfnElement, CfnOutput, CfnResource, Stack, Stage, Token } from 'aws-cdk-lib';
import { Subscription } from 'aws-cdk-lib/aws-sns';
import type { IConstruct } from 'constructs';
import {
  bodyFilterDropped,
  type StackTemplate,
  type Template,
  type TemplateResource,
} from '../../rules/index.ts';
import { isFilterDropped } from './notice.ts';

/** The stacks of a stage as the rules read them, and the construct behind each resource. */
export interface Reading {
  readonly stacks: readonly StackTemplate[];
  construct(stackPath: string, logicalId: string): IConstruct;
}

/** What the rules look at; to resolve everything else would double the time of a synthesis. */
const looked =
  /^AWS::(SQS::|SNS::|CloudWatch::|KMS::(Key|Alias)|IAM::(Role|Policy|ManagedPolicy|RolePolicy)$|CloudFormation::Stack$|Lambda::(Function|Alias|Version|EventSourceMapping|EventInvokeConfig)$|Events::Rule$|Scheduler::Schedule$|Pipes::Pipe$|DynamoDB::Table$)/;

/** The stacks of a stage, nested ones too; other stages in it are synthesized by themselves. */
export function stacksOf(scope: IConstruct): Stack[] {
  const own = Stack.isStack(scope) ? [scope] : [];
  return [...own, ...scope.node.children.filter((child) => !Stage.isStage(child)).flatMap(stacksOf)];
}

/** Reads the templates of a stage as they are now: with what aspects and escape hatches did, references resolved. */
export function readStage(stage: Stage): Reading {
  const constructs = new Map<string, IConstruct>();
  const stacks = stacksOf(stage).map((stack) => readStack(stack, constructs));
  return {
    stacks,
    construct: (path, logicalId) => constructs.get(`${path} ${logicalId}`) ?? constructs.get(path)!,
  };
}

function readStack(stack: Stack, constructs: Map<string, IConstruct>): StackTemplate {
  const path = stack.node.path;
  const resources: Record<string, TemplateResource> = {};
  const outputs: Record<string, object> = {};
  const notes: Record<string, readonly string[]> = {};
  constructs.set(path, stack);
  for (const element of elementsOf(stack)) {
    const isResource = CfnResource.isCfnResource(element);
    if (isResource && !looked.test(element.cfnResourceType)) continue;
    if (!isResource && !(element instanceof CfnOutput)) continue;
    const part = stack.resolve(fragment(element)) as Template;
    for (const [id, resource] of Object.entries(part.Resources ?? {})) {
      resources[id] = resource;
      constructs.set(`${path} ${id}`, element);
      const said = notesOn(element);
      if (said.length > 0) notes[id] = said;
    }
    Object.assign(outputs, part.Outputs);
  }
  const known = (value: string) => (Token.isUnresolved(value) ? undefined : value);
  const holder = stack.nestedStackResource;
  return {
    path,
    name: known(stack.stackName),
    account: known(stack.account),
    region: known(stack.region),
    ...(holder === undefined || stack.nestedStackParent === undefined
      ? {}
      : {
          parent: {
            path: stack.nestedStackParent.node.path,
            logicalId: String(stack.nestedStackParent.resolve((holder as CfnResource).logicalId)),
          },
        }),
    template: { Resources: resources, Outputs: outputs as NonNullable<Template['Outputs']> },
    notes,
  };
}

/** The elements of a stack's own template: not those of stacks within it. */
function elementsOf(scope: IConstruct): CfnElement[] {
  return scope.node.children.flatMap((child) => {
    if (Stack.isStack(child) || Stage.isStage(child)) return [];
    return CfnElement.isCfnElement(child) ? [child, ...elementsOf(child)] : elementsOf(child);
  });
}

/**
 * The element as it stands in the template, overrides included. The CDK has no public name for it; its own assertions
 * and linters read it the same way.
 */
const fragment = (element: CfnElement): object =>
  (element as unknown as { _toCloudFormation(): object })._toCloudFormation();

/** What the CDK noted of the props of a construct and left out of its template. */
function notesOn(element: CfnElement): readonly string[] {
  const owner = element.node.scope;
  if (!(owner instanceof Subscription)) return [];
  return isFilterDropped(owner) ? [bodyFilterDropped] : [];
}

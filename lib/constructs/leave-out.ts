import { CfnElement, Lazy } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { ConstructError } from './construct-error.ts';

/**
 * Takes a construct out of the tree: no synthesis meets it, and code can still grant to it and set its variables. A
 * reference to one of its resources would be a template that no deployment accepts, so it is an error of the synthesis.
 */
export function leaveOut(construct: Construct): void {
  const { path } = construct.node;
  const produce = () => {
    throw new ConstructError(
      `The function of ${path} is not in this stack, since its consumers are workers, and something refers to it (its function, role, log or event source). Leave that out when stack.consumers is 'worker'.`,
    );
  };
  for (const element of construct.node.findAll())
    if (CfnElement.isCfnElement(element)) element.overrideLogicalId(Lazy.string({ produce }));
  construct.node.scope?.node.tryRemoveChild(construct.node.id);
}

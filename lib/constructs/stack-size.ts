import { CfnResource, Stack } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/** CloudFormation user guide, "Understand CloudFormation quotas": resources of a template. */
const mostResources = 500;

/**
 * Has a stack refused at its synthesis when it has more resources than CloudFormation takes. The CDK refuses it later,
 * without a word on what to do; who lifted its limit by `@aws-cdk/core:stackResourceLimit` has lifted this one.
 */
export function limitSize(stack: Stack, subscribers: ReadonlyMap<string, IConstruct>): void {
  stack.node.addValidation({
    validate() {
      if (stack.node.tryGetContext('@aws-cdk/core:stackResourceLimit') !== undefined) return [];
      const all = resourcesIn(stack, stack);
      if (all <= mostResources) return [];
      const sizes = [...subscribers.values()].map((subscriber) => resourcesIn(subscriber, stack));
      let taken = all - sizes.reduce((sum, size) => sum + size, 0);
      let fit = 0;
      for (const size of sizes) {
        taken += size;
        if (taken > mostResources) break;
        fit += 1;
      }
      return [
        `found ${all} resources in the stack; allowed: ${mostResources}. Each subscriber has ${range(sizes)} of them, so that the first ${fit} of ${sizes.length} fit. Hold the others in another stack (\`only\`), or choose fewer alarms (\`alarms\`). See docs/deploy.md#how-much-a-stack-holds`,
      ];
    },
  });
}

/** Those of nested stacks stand in templates of their own. */
const resourcesIn = (scope: IConstruct, stack: Stack): number =>
  scope.node.findAll().filter((each) => CfnResource.isCfnResource(each) && Stack.of(each) === stack).length;

function range(sizes: readonly number[]): string {
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
  return least === most ? `${least}` : `${least} to ${most}`;
}

import { Annotations, CfnOutput, Stack } from 'aws-cdk-lib';
import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';

/** What somebody else must do, since the app cannot. */
export interface OwnerStatement {
  /** Id of the output. */
  readonly id: string;
  /** Stable id of the warning, without `sluice:`. */
  readonly warning: string;
  /** Whose policy it belongs to, for example `the policy of the queue orders`. */
  readonly policy: string;
  /** What fails without it. */
  readonly otherwise: string;
  readonly statement: PolicyStatement;
}

/** Says, in an output and in a warning, which statement the owner of an imported resource must add to its policy. */
export function tellOwner(scope: Construct, told: OwnerStatement): void {
  const { id, warning, policy, otherwise, statement } = told;
  if (scope.node.tryFindChild(id) !== undefined) return;
  const stack = Stack.of(scope);
  const json: unknown = statement.toStatementJson();
  new CfnOutput(scope, id, {
    value: stack.toJsonString(json),
    description: `To be added by its owner to ${policy}`.slice(0, 1024),
  });
  Annotations.of(scope).addWarningV2(
    `sluice:${warning}`,
    `This app imports it and cannot extend ${policy}. ${otherwise} unless its owner adds: ${JSON.stringify(stack.resolve(json))}. When that is done, acknowledge this warning.`,
  );
}

import { Annotations, Stack } from 'aws-cdk-lib';
import {
  type IGrantable,
  type IPrincipal,
  type PolicyStatement,
  PrincipalPolicyFragment,
} from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { type Construct, DependencyGroup } from 'constructs';
import { grantWork, type WorkPlace } from './work.ts';

/** What a function lacks that this app cannot give it. */
interface Lacks {
  /** Its role may not do the work. */
  readonly place?: WorkPlace;
  /** Its environment has none of these. */
  readonly variables?: Readonly<Record<string, string>>;
}

/** A warning at `scope`: what the owner of an imported function has to add to it. */
export function tellOwner(scope: Construct, consumer: IFunction, { place, variables }: Lacks): void {
  const stack = Stack.of(scope);
  const text = (value: unknown) => JSON.stringify(stack.resolve(value));
  const parts = [
    ...(place === undefined
      ? []
      : [
          `it was imported without its role, which needs these statements: ${text(statementsOf(place))}; or pass "role" to Function.fromFunctionAttributes, and they are added here`,
        ]),
    ...(variables === undefined
      ? []
      : [
          `its environment needs these variables, which an imported function gets only from its owner: ${text(variables)}`,
        ]),
  ];
  Annotations.of(scope).addWarningV2(
    `sluice:importedFunction${place === undefined ? `:${Object.keys(variables ?? {}).join()}` : ''}`,
    `The function ${text(consumer.functionArn)} is not of this app. Before it can consume: ${parts.join('. And ')}.`,
  );
}

/** The statements of a role that does the work at a place, without a role. */
function statementsOf(place: WorkPlace): object[] {
  const statements: PolicyStatement[] = [];
  const collector: IPrincipal & IGrantable = {
    get grantPrincipal() {
      return collector;
    },
    assumeRoleAction: 'sts:AssumeRole',
    // Nobody: a policy of a resource that named it would be refused at synthesis.
    policyFragment: new PrincipalPolicyFragment({}),
    addToPrincipalPolicy(statement) {
      statements.push(statement);
      return { statementAdded: true, policyDependable: new DependencyGroup() };
    },
  };
  grantWork(collector, place);
  return statements.map((statement) => statement.toStatementJson() as object);
}

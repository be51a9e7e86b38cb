import type {
  DescribeStacksCommandInput,
  ListExportsCommandInput,
  ListImportsCommandInput,
  ListStacksCommandInput,
} from '@aws-sdk/client-cloudformation';
import { ServiceError } from '../../service.ts';
import { describeStack, summarizeStack } from '../describe.ts';
import { pageOf } from '../pages.ts';
import { exportsOf, importersOf } from '../stacks.ts';
import { getStack } from '../states.ts';
import type { DeploymentParts } from '../target.ts';

/** Actions that show stacks, and what they give each other. */
export function lookOperations({ store }: DeploymentParts) {
  return {
    DescribeStacks(input: DescribeStacksCommandInput) {
      const stacks =
        input.StackName === undefined ? [...store.live.values()] : [getStack(store, input.StackName)];
      const { page, NextToken } = pageOf(stacks, input.NextToken);
      return { Stacks: page.map(describeStack), NextToken };
    },

    ListStacks(input: ListStacksCommandInput) {
      const filter = input.StackStatusFilter ?? [];
      const stacks = [...store.live.values(), ...store.deleted.values()].filter(
        ({ status }) => filter.length === 0 || filter.includes(status),
      );
      const { page, NextToken } = pageOf(stacks, input.NextToken);
      return { StackSummaries: page.map(summarizeStack), NextToken };
    },

    ListExports(input: ListExportsCommandInput) {
      const { page, NextToken } = pageOf([...exportsOf(store)], input.NextToken);
      return {
        Exports: page.map(([Name, { stack, value }]) => ({ Name, Value: value, ExportingStackId: stack.id })),
        NextToken,
      };
    },

    ListImports(input: ListImportsCommandInput) {
      const name = input.ExportName ?? '';
      const users = importersOf(store, name).map((stack) => stack.name);
      if (users.length === 0)
        throw new ServiceError('ValidationError', `Export '${name}' is not imported by any stack.`);
      const { page, NextToken } = pageOf(users, input.NextToken);
      return { Imports: page, NextToken };
    },
  };
}

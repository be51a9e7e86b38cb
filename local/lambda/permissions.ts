import type {
  AddPermissionCommandInput,
  GetPolicyCommandInput,
  RemovePermissionCommandInput,
} from '@aws-sdk/client-lambda';
import { conflict, notFound } from './errors.ts';
import type { FunctionState } from './functions.ts';

/** The resource policies of functions: kept and shown. */
export function createPermissions(
  getFunction: (reference: string | undefined, qualifier?: string) => FunctionState,
) {
  const policies = new WeakMap<FunctionState, Map<string, object>>();
  const statementsOf = (state: FunctionState) => {
    const found = policies.get(state) ?? new Map<string, object>();
    policies.set(state, found);
    return found;
  };
  return {
    AddPermission(input: AddPermissionCommandInput) {
      const state = getFunction(input.FunctionName, input.Qualifier);
      const statements = statementsOf(state);
      const id = input.StatementId ?? '';
      if (statements.has(id)) {
        throw conflict(
          `The statement id (${id}) provided already exists. Please provide a new statement id, or remove the existing statement.`,
        );
      }
      const principal = input.Principal ?? '*';
      const conditions = {
        ...(input.SourceArn !== undefined && { ArnLike: { 'AWS:SourceArn': input.SourceArn } }),
        ...(input.SourceAccount !== undefined && {
          StringEquals: { 'AWS:SourceAccount': input.SourceAccount },
        }),
      };
      const statement = {
        Sid: id,
        Effect: 'Allow',
        Principal: principal.includes('.amazonaws.com') ? { Service: principal } : { AWS: principal },
        Action: input.Action,
        Resource: state.configuration.functionArn,
        ...(Object.keys(conditions).length > 0 && { Condition: conditions }),
      };
      statements.set(id, statement);
      return { Statement: JSON.stringify(statement) };
    },
    RemovePermission(input: RemovePermissionCommandInput) {
      const state = getFunction(input.FunctionName, input.Qualifier);
      if (!statementsOf(state).delete(input.StatementId ?? '')) {
        throw notFound(`Statement ${input.StatementId} is not found in resource policy.`);
      }
      return {};
    },
    GetPolicy(input: GetPolicyCommandInput) {
      const statements = [...statementsOf(getFunction(input.FunctionName, input.Qualifier)).values()];
      if (statements.length === 0) throw notFound('The resource you requested does not exist.');
      return { Policy: JSON.stringify({ Version: '2012-10-17', Id: 'default', Statement: statements }) };
    },
  };
}

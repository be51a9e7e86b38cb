import type {
  GetTemplateCommandInput,
  GetTemplateSummaryCommandInput,
  ValidateTemplateCommandInput,
} from '@aws-sdk/client-cloudformation';
import { ServiceError } from '../../service.ts';
import { capabilitiesOf } from '../capabilities.ts';
import { getStack } from '../states.ts';
import type { DeploymentParts } from '../target.ts';
import { isObject, type Template, type TemplateParameter } from '../template.ts';
import { type TemplateSource, templateOf } from '../template-source.ts';

/** Actions on templates. */
export function templateOperations({ store, readObject }: DeploymentParts) {
  const sourceOf = (stackName: string | undefined, changeSetName?: string): TemplateSource => {
    const ofArn = (id: string) => [...store.live.values()].find(({ changeSets }) => changeSets.has(id));
    const stack =
      stackName === undefined && changeSetName !== undefined
        ? (ofArn(changeSetName) ?? getStack(store, changeSetName))
        : getStack(store, stackName);
    if (changeSetName === undefined) return stack.state.source;
    const found = [...stack.changeSets.values()].find(
      ({ id, name }) => id === changeSetName || name === changeSetName,
    );
    if (found !== undefined) return found.target.source;
    throw new ServiceError('ChangeSetNotFoundException', `ChangeSet [${changeSetName}] does not exist`);
  };

  return {
    GetTemplate(input: GetTemplateCommandInput) {
      const { text } = sourceOf(input.StackName, input.ChangeSetName);
      // The model runs no transforms: what was processed is what came.
      return { TemplateBody: text, StagesAvailable: ['Original' as const, 'Processed' as const] };
    },

    async GetTemplateSummary(input: GetTemplateSummaryCommandInput) {
      const { StackName } = input;
      const { template } =
        StackName === undefined ? await templateOf(input, undefined, readObject) : sourceOf(StackName);
      const types = Object.values(template.Resources ?? {}).map(({ Type }) => Type);
      const version = (template as { readonly AWSTemplateFormatVersion?: unknown }).AWSTemplateFormatVersion;
      return {
        ...summarize(template),
        ResourceTypes: [...new Set(types)],
        Version: version === undefined ? undefined : String(version),
        Metadata: isObject(template.Metadata) ? JSON.stringify(template.Metadata) : undefined,
        // The model imports no resources: none has an identifier to import it by.
        ResourceIdentifierSummaries: [],
      };
    },

    async ValidateTemplate(input: ValidateTemplateCommandInput) {
      const { template } = await templateOf(input, undefined, readObject);
      const { Parameters, ...rest } = summarize(template);
      return {
        ...rest,
        Parameters: Parameters.map(({ ParameterKey, DefaultValue, NoEcho, Description }) => ({
          ParameterKey,
          DefaultValue,
          NoEcho,
          Description,
        })),
      };
    },
  };
}

function summarize(template: Template) {
  const { needed, types } = capabilitiesOf(template);
  return {
    Description: template.Description,
    Parameters: Object.entries(template.Parameters ?? {}).map(([name, parameter]) =>
      declaration(name, parameter),
    ),
    Capabilities: needed === undefined ? undefined : [needed],
    CapabilitiesReason:
      needed === undefined
        ? undefined
        : `The following resource(s) require capabilities: [${types.join(', ')}]`,
    DeclaredTransforms: [template.Transform ?? []].flat().map(String),
  };
}

const declaration = (ParameterKey: string, parameter: TemplateParameter) => ({
  ParameterKey,
  DefaultValue: parameter.Default === undefined ? undefined : String(parameter.Default),
  ParameterType: parameter.Type,
  NoEcho: String(parameter.NoEcho) === 'true',
  Description: parameter.Description,
  ParameterConstraints: { AllowedValues: (parameter.AllowedValues ?? []).map(String) },
});

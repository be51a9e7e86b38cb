export type { RoleView } from '../iam/index.ts';
export { type AssemblyStack, type Asset, type CloudAssembly, loadAssembly } from './assembly.ts';
export { DeploymentError } from './errors.ts';
export { noValue, resolve as evaluate, type Scope } from './intrinsics.ts';
export {
  type CloudFormationModel,
  type CloudFormationOptions,
  createCloudFormation,
  type DeployedStack,
  type DeployOptions,
} from './model.ts';
export type { DeploymentServices, Made, Properties, ProviderContext, ResourceProvider } from './provider.ts';
export type { StackListener, StackStatus } from './stacks.ts';
export type { Template, TemplateOutput, TemplateParameter, TemplateResource } from './template.ts';

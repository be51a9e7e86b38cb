import { createIamStore, type IamStore, type RoleView } from '../iam/index.ts';
import { type ModelContext, type Service, ServiceError } from '../service.ts';
import type { CloudAssembly } from './assembly.ts';
import { deployStack } from './deploy.ts';
import { DeploymentError } from './errors.ts';
import { changeSetOperations } from './operations/change-sets.ts';
import { eventOperations } from './operations/events.ts';
import { lookOperations } from './operations/looks.ts';
import { resourceOperations } from './operations/resources.ts';
import { stackOperations } from './operations/stacks.ts';
import { templateOperations } from './operations/templates.ts';
import type { DeploymentServices, ResourceProvider } from './provider.ts';
import { providers } from './providers/index.ts';
import type { Stack, StackListener, StackStore } from './stacks.ts';
import type { DeploymentParts } from './target.ts';
import { type ReadObject, readBy } from './template-source.ts';

/** What a deployment is told besides the assembly and the stack. */
export interface DeployOptions {
  /**
   * Values of parameters, by name; they win over those of the assembly.
   *
   * @default - the assembly's, then the template's defaults
   */
  readonly parameters?: Readonly<Record<string, string>>;
}

/**
 * A stack that was made.
 *
 * @example
 * ```ts
 * const stack: DeployedStack = await aws.cloudformation.deploy(loadAssembly('cdk.out'));
 * for (const warning of stack.warnings) console.warn(warning);
 * ```
 */
export interface DeployedStack {
  readonly name: string;
  /** Its ARN. */
  readonly id: string;
  readonly outputs: Readonly<Record<string, string>>;
  /** By logical id. */
  readonly resources: Readonly<Record<string, { readonly type: string; readonly physicalId: string }>>;
  /** What in the template has no effect in the model, with the reason and the logical ids. */
  readonly warnings: readonly string[];
}

/** CloudFormation: it makes, changes and removes stacks, by change sets, by its API and from cloud assemblies. */
export interface CloudFormationModel extends Service {
  readonly id: 'cloudformation';
  /**
   * Makes a stack of the assembly, or brings the one that is there to its new template; a stack that has nothing to
   * change is left. It goes the way of the API: a change set is made and executed.
   *
   * @param stackName - which stack; may be left out when the assembly has one
   * @throws DeploymentError with every fault of the template, before anything is made; or with the resource that
   * failed, after everything that had been done was taken back
   */
  deploy(assembly: CloudAssembly, stackName?: string, options?: DeployOptions): Promise<DeployedStack>;
  /** The roles that stacks made, with their policies. */
  roles(): readonly RoleView[];
}

/**
 * What {@link createCloudFormation} takes besides the services.
 *
 * @example
 * ```ts
 * const options: CloudFormationOptions = { objectOf: (bucket, key) => files.get(`${bucket}/${key}`) };
 * ```
 */
export interface CloudFormationOptions {
  /**
   * The content of an object of S3, for templates that are given by their URL.
   *
   * @default - GetObject of the service s3; without that one, such templates are refused
   */
  readonly objectOf?: (bucket: string, key: string) => Uint8Array | undefined;
  /**
   * How resources are made, by type, besides those that the model has; one of the same type wins.
   *
   * @default - none
   */
  readonly providers?: Readonly<Record<string, ResourceProvider>>;
  /**
   * Hears each time that a stack has come to another status.
   *
   * @default - nobody
   */
  readonly heard?: StackListener;
}

/**
 * CloudFormation over the given services.
 *
 * @example
 * ```ts
 * const cloudformation = createCloudFormation(context, { sqs, sns, dynamodb, cloudwatch, lambda });
 * const { outputs } = await cloudformation.deploy(loadAssembly('cdk.out'));
 * ```
 */
export function createCloudFormation(
  context: ModelContext,
  services: DeploymentServices,
  iam: IamStore = createIamStore(),
  options: CloudFormationOptions = {},
): CloudFormationModel {
  const store: StackStore = { live: new Map(), deleted: new Map() };
  const readObject = options.objectOf ?? readerOf(services);
  const parts: DeploymentParts = {
    context,
    services,
    iam,
    store,
    readObject,
    heard: options.heard ?? (() => {}),
    // Without a prototype: a type named `constructor` is none.
    providers: Object.assign(Object.create(null), providers, options.providers),
  };

  return {
    id: 'cloudformation',
    operations: {
      ...changeSetOperations(parts),
      ...stackOperations(parts),
      ...eventOperations(parts),
      ...lookOperations(parts),
      ...resourceOperations(parts),
      ...templateOperations(parts),
    },
    leftOut: { DetectStackDrift: noDrift, DetectStackResourceDrift: noDrift },
    roles: iam.roles,
    async deploy(assembly, stackName, { parameters = {} } = {}) {
      const names = assembly.stacks.map(({ name }) => name);
      const source =
        stackName === undefined && assembly.stacks.length === 1
          ? assembly.stacks[0]
          : assembly.stacks.find(({ name }) => name === stackName);
      if (source === undefined) {
        const found = stackName === undefined ? 'several stacks' : `no stack ${stackName}`;
        throw new DeploymentError([
          `${assembly.folder} has ${found}; name one of: ${names.join(', ') || 'none'}.`,
        ]);
      }
      const given = { ...source.parameters, ...parameters };
      return deployed(await deployStack(source, assembly, given, parts));
    },
  };
}

const noDrift =
  'it detects no drift. To compare the deployed template with that of the app, run npx cdk diff.';

const readerOf = ({ s3 }: DeploymentServices): ReadObject => {
  const getObject = s3?.operations.GetObject;
  if (getObject !== undefined) return readBy(getObject);
  return () => {
    throw new ServiceError('ValidationError', 'The model has no S3 to read a TemplateURL from.');
  };
};

const deployed = (stack: Stack): DeployedStack => ({
  name: stack.name,
  id: stack.id,
  outputs: Object.fromEntries([...stack.state.outputs].map(([name, { value }]) => [name, value])),
  resources: Object.fromEntries(
    [...stack.resources.values()].map(({ logicalId, type, made }) => [
      logicalId,
      { type, physicalId: made.physicalId },
    ]),
  ),
  warnings: stack.warnings,
});

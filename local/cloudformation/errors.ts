/**
 * Why a stack cannot be made, or was not: all faults that were found, each with its logical id.
 *
 * @example
 * ```ts
 * try {
 *   await aws.cloudformation.deploy(loadAssembly('cdk.out'));
 * } catch (error) {
 *   if (!(error instanceof DeploymentError)) throw error;
 *   console.error(error.message);
 * }
 * ```
 */
export class DeploymentError extends Error {
  readonly faults: readonly string[];

  constructor(faults: readonly string[], cause?: unknown) {
    super(faults.length === 1 ? faults[0] : `${faults.length} faults:\n- ${faults.join('\n- ')}`, { cause });
    this.name = 'DeploymentError';
    this.faults = faults;
  }
}

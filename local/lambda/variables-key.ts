import type { KeyGuard } from '../kms/index.ts';
import type { Executor } from './executor.ts';

/**
 * An executor that decrypts a function's variables before it starts an environment, as Lambda does with the rights of
 * the function's role, where they are encrypted under a key of the account. An environment that runs keeps them.
 */
export function decryptingExecutor(executor: Executor, keys: KeyGuard | undefined): Executor {
  if (keys === undefined) return executor;
  return {
    ...executor,
    start(configuration) {
      const { kmsKeyArn, role, functionArn, functionName, variables } = configuration;
      if (kmsKeyArn !== undefined && Object.keys(variables).length > 0)
        keys.use(kmsKeyArn, { role, session: functionName }, 'decrypt', 'lambda', {
          'aws:lambda:FunctionArn': functionArn,
        });
      return executor.start(configuration);
    },
  };
}

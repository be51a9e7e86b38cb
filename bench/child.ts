import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The root of the checkout. */
export const root = fileURLToPath(new URL('..', import.meta.url));

/** A program of the benchmark that runs in a process of its own. */
export interface Child {
  /** Sends a message, if there is one, and resolves with the next that the child sends. */
  ask<Answer>(message?: object): Promise<Answer>;
  /** Ends it, and resolves when it has ended. */
  end(): Promise<void>;
}

/**
 * Starts a TypeScript program in a process of its own. It sees nothing of this environment but where programs are,
 * and credentials that are worth nothing. What it does not answer within the limit it never will: it is ended then.
 *
 * @param path - from the folder bench/
 * @param limitMs - milliseconds from the start after which it is ended
 */
export function startChild(path: string, limitMs: number): Child {
  const child: ChildProcess = fork(fileURLToPath(new URL(path, import.meta.url)), {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      AWS_REGION: 'us-east-1',
      AWS_EC2_METADATA_DISABLED: 'true',
      AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
      NODE_NO_WARNINGS: '1',
      TSX_TSCONFIG_PATH: fileURLToPath(new URL('../tsconfig.json', import.meta.url)),
    },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let errors = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-4000);
  });
  const limit = setTimeout(() => child.kill('SIGKILL'), limitMs);
  const answers: object[] = [];
  let take: ((answer: object) => void) | undefined;
  let refuse: ((error: Error) => void) | undefined;
  let ended: Error | undefined;
  child.on('message', (answer: object) => {
    if (take === undefined) answers.push(answer);
    else take(answer);
  });
  const exited = new Promise<void>((resolve) =>
    // "close" comes when its standard error is read to the end, too.
    child.on('close', (code, signal) => {
      clearTimeout(limit);
      ended = new Error(
        `bench/${path} ended (${signal ?? `code ${code}`}) before it answered.${errors && `\n${errors}`}`,
      );
      refuse?.(ended);
      resolve();
    }),
  );
  return {
    ask<Answer>(message?: object) {
      if (ended !== undefined) return Promise.reject(ended);
      if (message !== undefined) child.send(message);
      const early = answers.shift();
      if (early !== undefined) return Promise.resolve(early as Answer);
      return new Promise<Answer>((resolve, reject) => {
        take = (answer) => {
          take = undefined;
          refuse = undefined;
          resolve(answer as Answer);
        };
        refuse = reject;
      });
    },
    async end() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

import { Difference } from '../../case.ts';

/** What an error of a service is expected to be. */
export interface Refusal {
  /** One of these names. */
  readonly name: string | readonly string[];
  readonly message?: RegExp;
}

/** Demands that a call is refused so; `what` completes "It was accepted: …". Gives the error. */
export async function refused(
  what: string,
  { name, message }: Refusal,
  call: () => Promise<unknown>,
): Promise<Error> {
  let answer: unknown;
  try {
    answer = await call();
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const names = [name].flat();
    if (!names.includes(error.name) && isAnswer(error))
      throw new Difference(
        `${what}: refused as ${error.name} ("${error.message}") instead of ${names.join(' or ')}.`,
      );
    if (!names.includes(error.name)) throw error;
    if (message !== undefined && !message.test(error.message))
      throw new Difference(
        `${what}: the reason is told as "${error.message}", which does not say ${message}.`,
      );
    return error;
  }
  void answer;
  throw new Difference(`It was accepted: ${what}.`);
}

/** A service's own answer, of the caller's fault: not one that says that there is no such action. */
const isAnswer = (error: Error): boolean => {
  const status = (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;
  return (
    status !== undefined &&
    status < 500 &&
    !/InvalidAction|Unknown(Operation|Service)|NotImplemented/.test(error.name)
  );
};

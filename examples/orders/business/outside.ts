/** What a system outside answered. */
export interface Answer {
  readonly status: number;
  /** Header names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/**
 * What the business knows of the world: how to reach systems outside, time and chance. The functions on AWS have real
 * ones (`handlers/outside.ts`), a simulation has its own.
 */
export interface Outside {
  /** Sends JSON; rejects when there was no answer, or when `signal` aborts. */
  send(
    method: 'POST' | 'PUT',
    url: string,
    body: unknown,
    options: { readonly signal: AbortSignal; readonly headers?: Readonly<Record<string, string>> },
  ): Promise<Answer>;
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Waits so many milliseconds; rejects when `signal` aborts. */
  pause(length: number, signal: AbortSignal): Promise<void>;
  /** A number in [0, 1). */
  random(): number;
}

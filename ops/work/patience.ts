/** Settings of a client whose questions are answered soon, or by nobody: milliseconds. */
export const impatient = {
  requestHandler: { connectionTimeout: 3_000, requestTimeout: 10_000, throwOnRequestTimeout: true },
} as const;

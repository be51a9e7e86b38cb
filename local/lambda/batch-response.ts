/**
 * Which messages of a batch failed, by the function's response, when the mapping has ReportBatchItemFailures:
 * message ids, or `'all'` when the response is not one.
 *
 * | response | meaning |
 * |---|---|
 * | null, `{}`, no or null or empty `batchItemFailures` | all succeeded |
 * | entries with ids of the batch | those failed |
 * | an id that is empty, null, missing or not of the batch; a list that is none; anything else than an object | all failed |
 *
 * From the Lambda developer guide, "Implementing partial batch responses", success and failure conditions, and
 * from what AWS answered in LocalStack's recorded tests.
 */
export function failuresOf(response: string, batch: ReadonlySet<string>): ReadonlySet<string> | 'all' {
  let value: unknown;
  try {
    value = JSON.parse(response);
  } catch {
    // Not JSON: the documentation counts it as a failure of the whole batch.
    return 'all';
  }
  if (value === null || value === undefined) return new Set();
  // An empty string is listed with the successes, as the response of a function that returns nothing.
  if (value === '') return new Set();
  if (typeof value !== 'object' || Array.isArray(value)) return 'all';
  const failures = (value as { batchItemFailures?: unknown }).batchItemFailures;
  if (failures === null || failures === undefined) return new Set();
  if (!Array.isArray(failures)) return 'all';
  const failed = new Set<string>();
  for (const entry of failures) {
    const id: unknown = (entry as { itemIdentifier?: unknown } | null)?.itemIdentifier;
    if (typeof id !== 'string' || !batch.has(id)) return 'all';
    failed.add(id);
  }
  return failed;
}

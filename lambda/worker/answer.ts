/**
 * Which messages of a batch failed, by what the function answered: message ids, or `'all'` when the answer is none.
 *
 * | answer | meaning |
 * |---|---|
 * | nothing, null, `''`, `{}`, no or null or empty `batchItemFailures` | all succeeded |
 * | entries with ids of the batch | those failed |
 * | an id that is empty, null, missing or not of the batch; a list that is none; anything else than an object | all failed |
 *
 * Lambda developer guide, "Implementing partial batch responses", success and failure conditions. The answer is read as
 * it would be after its way over the wire, as JSON.
 */
export function failuresOf(answer: unknown, batch: ReadonlySet<string>): ReadonlySet<string> | 'all' {
  let value: unknown;
  try {
    value = JSON.parse(JSON.stringify(answer) ?? 'null');
  } catch {
    // Lambda's runtime could not send it: the invocation would have failed.
    return 'all';
  }
  if (value === null || value === '') return new Set();
  if (typeof value !== 'object' || Array.isArray(value)) return 'all';
  const { batchItemFailures } = value as { batchItemFailures?: unknown };
  if (batchItemFailures === undefined || batchItemFailures === null) return new Set();
  if (!Array.isArray(batchItemFailures)) return 'all';
  const failed = new Set<string>();
  for (const entry of batchItemFailures) {
    const id: unknown = (entry as { itemIdentifier?: unknown } | null)?.itemIdentifier;
    if (typeof id !== 'string' || !batch.has(id)) return 'all';
    failed.add(id);
  }
  return failed;
}

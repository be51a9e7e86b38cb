/** The policy's text is not a policy, or uses a part of the language that the model does not have. */
export class PolicyError extends Error {
  override readonly name = 'PolicyError';
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const list = (value: unknown): readonly unknown[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value];

/** One text, or several. @throws PolicyError for anything else */
export function texts(value: unknown, where: string): readonly string[] {
  return list(value).map((item) => {
    if (typeof item !== 'string')
      throw new PolicyError(`${where} holds ${JSON.stringify(item)}, not a text.`);
    return item;
  });
}

/** Texts, numbers and booleans as texts. @throws PolicyError for anything else */
export function scalars(value: unknown, where: string): readonly string[] {
  return list(value).map((item) => {
    if (typeof item === 'string' || typeof item === 'number' || typeof item === 'boolean')
      return String(item);
    throw new PolicyError(
      `Condition ${where} holds ${JSON.stringify(item)}, which is no text, number or boolean.`,
    );
  });
}

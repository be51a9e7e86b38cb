/** `${*}`, `${?}` and `${$}` are the characters themselves; other variables stand for what the request brings. */
const variable = /\$\{(?![*?$]\})[^}]*\}/g;

/** Whether a text of a policy holds a variable (IAM user guide, "Policy variables"): the model has none of them. */
export const hasVariable = (text: string): boolean => text.search(variable) >= 0;

/** The text with what variables stand for left open: it may be anything. */
export const leftOpen = (text: string): string => text.replace(variable, '*');

/** The variables in a text. */
export const variablesIn = (text: string): readonly string[] => text.match(variable) ?? [];

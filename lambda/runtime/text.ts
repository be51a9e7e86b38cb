/**
 * A text without halves of surrogate pairs: they have no UTF-8, so what is stored or hashed in their place is the
 * same for all of them.
 */
export const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, '\uFFFD');

/** Whether a text has no half of a surrogate pair. */
export const isWellFormed = (text: string): boolean => !/\p{Surrogate}/u.test(text);

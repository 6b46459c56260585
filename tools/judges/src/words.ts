/** Splits a text into words at spaces and line breaks. */
export const wordsIn = (text: string): readonly string[] => text.trim().split(/\s+/);

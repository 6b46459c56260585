/** The words of a text, between spaces and line breaks. */
export const wordsIn = (text: string): readonly string[] => text.trim().split(/\s+/);

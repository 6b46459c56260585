const sizeOf = (codePoint: number): number => {
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x800) return 2;
  return codePoint < 0x10000 ? 3 : 4;
};

/** Returns the length of the text in bytes of UTF-8. */
export const utf8Length = (text: string): number => {
  let length = 0;
  for (const character of text) length += sizeOf(character.codePointAt(0)!);
  return length;
};

/** Returns the longest beginning of the text that fits into `most` bytes of UTF-8. No character is cut in two. */
export const utf8Cut = (text: string, most: number): string => {
  let length = 0;
  let end = 0;
  for (const character of text) {
    length += sizeOf(character.codePointAt(0)!);
    if (length > most) break;
    end += character.length;
  }
  return text.slice(0, end);
};

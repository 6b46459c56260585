/** Reads a pattern from left to right by code points. */
export interface PatternReader {
  peek(): string | undefined;
  next(): string | undefined;
  /** Skips the text if it comes next, and returns whether it did. */
  take(text: string): boolean;
  /** Reads the text that a regular expression starting with `^` matches here. */
  match(expression: RegExp): RegExpExecArray | undefined;
  /** Reads up to the text, or to the end, and skips the text. */
  until(text: string): string;
  /** Moves back by a number of code units. */
  back(units: number): void;
}

export const createReader = (pattern: string): PatternReader => {
  let at = 0;
  const peek = (): string | undefined => {
    const code = pattern.codePointAt(at);
    return code === undefined ? undefined : String.fromCodePoint(code);
  };
  return {
    peek,
    next() {
      const char = peek();
      if (char !== undefined) at += char.length;
      return char;
    },
    take(text) {
      const found = pattern.startsWith(text, at);
      if (found) at += text.length;
      return found;
    },
    match(expression) {
      const match = expression.exec(pattern.slice(at));
      if (match === null) return undefined;
      at += match[0].length;
      return match;
    },
    until(text) {
      const end = pattern.indexOf(text, at);
      const found = end === -1 ? pattern.slice(at) : pattern.slice(at, end);
      at = end === -1 ? pattern.length : end + text.length;
      return found;
    },
    back(units) {
      at -= units;
    },
  };
};

/** A test whose title names the prose tests that it covers. */
export interface Cover {
  readonly specification: string;
  readonly numbers: readonly string[];
  /** The text after the numbers. */
  readonly sentence: string;
  readonly file: string;
}

/** A string of a test that begins with a specification, the words "prose test" and a number. */
const coveringTitle = /(['"`])([A-Z][\w-]*(?: [\w-]+)*), prose tests? ([^:'"`]+): ((?:\\.|(?!\1)[^\\])*)\1/g;

/** A string that mentions the number of a prose test in any form. */
const anyMention = /['"`][^'"`\n]*\bprose (?:tests? )?[A-Z]?\d/g;

/** Parses numbers such as `1, 2.1` and `4 to 6`. */
function numbersOf(text: string): string[] {
  return text.split(/,\s*| and /).flatMap(part => {
    const [, from, to] = /^(\d+) to (\d+)$/.exec(part) ?? [];
    if (from === undefined || to === undefined) return [part.trim()];
    return Array.from({ length: Number(to) - Number(from) + 1 }, (_, index) => String(Number(from) + index));
  });
}

/** Returns the tests that cover a prose test. */
export const coversOf = (name: string, number: string, covers: readonly Cover[]): readonly Cover[] =>
  covers.filter(({ specification, numbers }) => specification === name && numbers.includes(number));

/** Returns the tests of a file whose titles name prose tests. */
export const coversIn = (file: string, text: string): Cover[] =>
  [...text.matchAll(coveringTitle)].map(([, , specification, numbers, sentence]) => ({
    specification: specification!,
    numbers: numbersOf(numbers!),
    sentence: sentence!.replace(/\$\{[^}]*\}/g, '…').replace(/\\(.)/g, '$1'),
    file,
  }));

/** Returns the strings of a file that mention a prose test in another form. */
export const strayIn = (file: string, text: string): string[] =>
  [...text.replace(coveringTitle, '').matchAll(anyMention)].map(([found]) => `${file}: ${found.trim()}`);

/** A test that covers prose tests, as its title says. */
export interface Cover {
  readonly specification: string;
  readonly numbers: readonly string[];
  /** What the title says behind the numbers. */
  readonly sentence: string;
  readonly file: string;
}

/** A string of a test that begins with a specification, the words "prose test" and a number. */
const announced = /(['"`])([A-Z][\w-]*(?: [\w-]+)*), prose tests? ([^:'"`]+): ((?:\\.|(?!\1)[^\\])*)\1/g;

/** A string that speaks of a prose test by its number in any way. */
const spokenOf = /['"`][^'"`\n]*\bprose (?:tests? )?[A-Z]?\d/g;

/** `1, 2.1` and `4 to 6`, one by one. */
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

/** The tests of a file that say which prose tests they cover. */
export const coversIn = (file: string, text: string): Cover[] =>
  [...text.matchAll(announced)].map(([, , specification, numbers, sentence]) => ({
    specification: specification!,
    numbers: numbersOf(numbers!),
    sentence: sentence!.replace(/\$\{[^}]*\}/g, '…').replace(/\\(.)/g, '$1'),
    file,
  }));

/** What is said of prose tests in other words than those that are looked for. */
export const strayIn = (file: string, text: string): string[] =>
  [...text.replace(announced, '').matchAll(spokenOf)].map(([found]) => `${file}: ${found.trim()}`);

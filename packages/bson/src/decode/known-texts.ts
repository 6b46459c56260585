import { numbers } from './memory.js';
import { readText } from './text.js';

/** Up to how many bytes a text takes, its NUL included, to be remembered. */
export const longestKnown = 16;
const slots = 8;
/** How many more words may be new than known before it is no use. */
const patience = 256;

/** The bytes of a text, as words of 32 bits: the last four, which may begin in its length, and those before. */
class Known {
  size = 0;
  first = 0;
  second = 0;
  third = 0;
  last = 0;
  text = '';
}

/**
 * Texts that come again and again under one key, as states, kinds and languages do: made once, each of them is one string
 * in all documents. Where they differ all the time nobody looks for them any more.
 */
export class KnownTexts {
  private readonly texts: readonly Known[] = Array.from({ length: slots }, () => new Known());
  private balance = patience;

  /** The text of so many bytes, its NUL included and no more than a known one, behind the length at that offset. */
  read(at: number, size: number): string {
    if (this.balance < 0) return readText(at + 4, size - 1);
    const v = numbers;
    const last = v.getInt32(at + size, true);
    const first = size > 4 ? v.getInt32(at + 4, true) : 0;
    const second = size > 8 ? v.getInt32(at + 8, true) : 0;
    const third = size > 12 ? v.getInt32(at + 12, true) : 0;
    const known = this.texts[Math.imul(first ^ last, 0x9e3779b1) >>> 29]!;
    if (
      known.last === last &&
      known.first === first &&
      known.second === second &&
      known.third === third &&
      known.size === size
    ) {
      if (this.balance < patience) this.balance++;
      return known.text;
    }
    const text = readText(at + 4, size - 1);
    this.balance--;
    known.size = size;
    known.first = first;
    known.second = second;
    known.third = third;
    known.last = last;
    known.text = text;
    return text;
  }
}

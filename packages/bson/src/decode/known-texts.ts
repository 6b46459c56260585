import { numbers } from './memory.js';
import { readText } from './text.js';

/** The largest size of a cached text in bytes, NUL included. */
export const longestKnown = 16;
const slots = 8;
/** How many more texts may be new than cached before the cache is switched off. */
const patience = 256;

/**
 * The bytes of a text as 32-bit words: the last four bytes, which may overlap its length field, and the words before
 * them.
 */
class Known {
  size = 0;
  first = 0;
  second = 0;
  third = 0;
  last = 0;
  text = '';
}

/**
 * A cache of short texts that repeat under one key, such as states, kinds and languages. All documents then share one
 * string per text. The cache is switched off for keys whose texts rarely repeat.
 */
export class KnownTexts {
  private readonly texts: readonly Known[] = Array.from({ length: slots }, () => new Known());
  private balance = patience;

  /**
   * Reads the text behind the length field at this offset. `size` includes the NUL and is at most {@link longestKnown}.
   */
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

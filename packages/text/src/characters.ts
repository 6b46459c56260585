/**
 * Case folding and removal of diacritics, character by character, as text indexes of version 3 do it. Rule: Unicode's
 * simple case folding, and its property Diacritic.
 */

/** Returns a function that remembers its results. The number of characters in use is small. */
const remembered = (compute: (character: string) => string): ((character: string) => string) => {
  const known = new Map<string, string>();
  return character => {
    let found = known.get(character);
    if (found === undefined) {
      found = compute(character);
      known.set(character, found);
    }
    return found;
  };
};

const dotlessI = 'ı';

const folded = remembered(character => {
  if (character === dotlessI) return character;
  const upper = character.toUpperCase();
  const lower = (upper.length === character.length ? upper : character).toLowerCase();
  return lower.length === character.length ? lower : character;
});

const foldedInTurkish = (character: string): string =>
  character === 'I' ? dotlessI : character === 'İ' ? 'i' : folded(character);

const ascii = /^[\0-\x7f]*$/;

/** Returns a text in lower case. In Turkish, the lower case of `I` is `ı`, and that of `İ` is `i`. */
export const lowerCase = (text: string, turkish: boolean): string => {
  if (turkish) return text.replace(/[A-Z]|[^\0-\x7f]/gu, foldedInTurkish);
  return ascii.test(text) ? text.toLowerCase() : text.replace(/[A-Z]|[^\0-\x7f]/gu, folded);
};

/** Returns a text in which only the letters A to Z are converted to lower case. */
export const asciiLowerCase = (text: string): string => text.replace(/[A-Z]+/g, letters => letters.toLowerCase());

const stripped = remembered(character => {
  if (/\p{Diacritic}/u.test(character)) return '';
  const base = character
    .normalize('NFD')
    .replace(/\p{Diacritic}/gu, '')
    .normalize('NFC');
  return [...base].length === 1 ? base : character;
});

/** Returns a text without diacritics. */
export const withoutDiacritics = (text: string): string => text.replace(/[\^`]|[^\0-\x7f]/gu, stripped);

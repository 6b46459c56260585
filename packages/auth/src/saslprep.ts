/** The profile SASLprep of stringprep, which prepares passwords. Rule: RFC 4013 and the tables of RFC 3454. */

/** Returns whether a code point is in a table. */
type Table = (codePoint: number) => boolean;

/**
 * Returns a table of ranges. Each range has two numbers in base 36: its distance from the end of the range before, and the
 * number of code points after its first.
 */
const tableOf = (ranges: string): Table => {
  const numbers = ranges.split(' ').map(each => Number.parseInt(each, 36));
  return codePoint => {
    let end = 0;
    for (let i = 0; i < numbers.length; i += 2) {
      const start = end + numbers[i]!;
      end = start + numbers[i + 1]!;
      if (codePoint <= end) return codePoint >= start;
    }
    return false;
  };
};

/** Table B.1: commonly mapped to nothing. */
const removed = '4t 0 iq 0 43b 0 5 2 1ku 2 2b 0 17s0 f 6o 0';

/** Table C.1.2: space characters beyond ASCII. */
const spaces = '4g 0 4bk 0 1vk b 10 0 1c 0 335 0';

/** The tables of section 2.3: control characters, private use, surrogates and others. */
const prohibited =
  '0 v 2o x io 1 po 0 1e 0 31t 0 b2 0 1ki f p 7 1c 4 7 5 329 b 5 0 x6o 6in y9 v 7k 0 6y 6 15dg 7 96s 1 1ekf 1 ' +
  '1ekf 1 1ekf 1 1ekf 1 1ekf 1 1ekf 1 1ekf 1 1ekf 1 1ekf 1 1ekf 1 1ekf 1 1ekf 1 2 0 v 2n 1egv 1ekf 3 1ekf';

/** Table D.1: characters with the property R or AL, which are written from right to left. */
const rightToLeft =
  '14u 0 2 0 3 0 d q 6 4 13 0 4 0 2 p 6 a z 2 2 2s 8 0 8 1 k 4 2 d 3 0 2 q 2c 11 c 0 4ta 0 179q 0 2 9 2 c 2 4 2 ' +
  '0 2 1 2 1 2 2z y a2 j 1r 3 1h 15 c 38 4 2 3q';

/** Table D.2: characters with the property L, which are written from left to right. */
const leftToRight =
  '1t p 7 p 1c 0 b 0 5 0 6 m 2 u 2 88 2 h t 2l 3 8 3 6 f 1 f 4 a 0 3w 0 c 0 2 2 2 0 2 j 2 17 2 11 b 3m 8 1w 2 ' +
  '11 3 1 7 f y 11 3 6 2 12 2 0 oq 0 2 1g 4 3 9 3 4 0 8 9 3 c i 1 2 7 3 1 3 l 2 6 2 0 4 3 5 2 7 1 3 1 b 0 5 1 2 ' +
  '2 5 b 3 6 b 5 5 1 3 l 2 6 2 1 2 1 2 1 5 2 p 3 2 0 8 9 3 2 f 0 2 6 2 0 2 2 2 l 2 6 2 1 2 4 4 3 9 0 2 1 4 0 g ' +
  '0 6 9 j 1 2 7 3 1 3 l 2 6 2 1 3 3 4 1 2 0 7 1 3 1 b 0 5 1 2 2 5 a j 0 2 5 4 2 2 3 4 1 2 0 2 1 4 1 4 2 4 7 2 ' +
  '2 5 1 2 1 4 2 2 2 b 0 g b f 2 2 7 2 2 2 m 2 9 2 4 8 3 s 1 5 9 j 1 2 7 2 2 2 m 2 9 2 4 5 0 2 4 3 1 2 1 a 1 8 ' +
  '0 2 1 5 9 j 1 2 7 2 2 2 m 2 f 5 2 6 2 2 2 b 0 9 1 5 9 j 1 2 h 4 n 2 8 2 0 3 6 9 2 7 7 j 2 d 1b 2 1 d 6 9 c ' +
  '12 1 2 0 3 1 2 0 3 0 7 3 2 6 2 2 2 0 2 0 3 1 2 3 2 1 a 0 3 4 2 0 a 9 3 1 z n 3 q 2 0 2 0 6 9 2 x l 0 6 0 3 3 ' +
  '1f 7 2 5 3 0 1d x 2 4 2 1 2 0 5 0 7 0 8 n 21 11 b 14 3 0 5 2h 6 1v 6 29 7 6 2 1q 2 0 2 3 3 6 2 0 2 3 3 12 2 ' +
  '0 2 3 3 u 2 0 2 3 3 6 2 0 2 3 3 6 2 6 2 m 2 u 2 0 2 3 3 6 2 12 2 i 7 r 10 2c d hh b p 6 28 g c 2 3 f h 4 1 a ' +
  'h f c 2 2 g 1i 8 7 2 1 c 6 2 0 4 9 13 9 7 2f 9 14 120 4b 5 2h 7 l 3 5 3 11 3 5 3 7 2 0 2 0 2 0 2 u 3 1g 2 6 ' +
  '2 0 4 2 2 6 4 3 3 5 5 c 6 2 2 6 i 0 2r 0 e 0 3n 0 5 0 3 9 2 0 4 4 7 0 2 0 2 0 2 3 2 2 2 6 4 2 6 4 n z c3 1w ' +
  'r 0 7b 25 270 2 q 8 8 4 3 4 5 2d 7 2 2 2h 2 3 6 13 5 2l 2 13 1l 18 4 z t r 4 1d g b 5 1a 2 3a 5 2q 3 u 2 52t ' +
  '23 g4l 2j wc 1h0 8mb 2l 6r1 3 1m 46 6 d 4 sq p 7 p c 2g 4 5 3 5 3 5 3 2 mc u 2 3 d q 52 11 3 11 148j 6t b 12 ' +
  '4 1o 4 8 h 1 8 t 5 1b f7 2c 2 1y 2 1 3 0 3 1 3 3 2 b 2 0 2 3 2 1 2 1s 2 3 3 7 2 6 2 r 2 3 2 4 2 0 4 6 2 9d 5 ' +
  '81 7xz wye g16 f1 gvz7 1ekd 3 1ekd';

/** Table A.1: code points that Unicode 3.2 does not assign. */
const unassigned =
  'f5 0 j r 2n 1 1s g 29 f h 3 3 3 2 2 2 4 8 0 2 0 l 0 19 0 14 8 3s 0 20 0 13 1 3 5 h w 13 1 8 0 14 0 3 5 i 0 o ' +
  '0 b a s 4 6 m 2 d 2 2 2 0 r 4 n 9 3z 1 g 0 f 0 v 2 s 1g 1f 9a 4 0 1i 1 j 1 6 2 q f 4 0 9 1 3 1 n 0 8 0 2 2 5 ' +
  '1 2 0 8 1 3 1 4 8 2 3 3 0 6 1 m 6 2 1 7 3 3 1 n 0 8 0 3 0 3 0 3 1 2 0 6 3 3 1 4 a 5 0 2 6 g b 4 0 8 0 2 0 4 ' +
  '0 n 0 8 0 3 0 6 1 b 0 4 0 4 1 2 e 2 4 b g 4 0 9 1 3 1 n 0 8 0 3 1 5 1 9 2 3 1 4 7 3 3 3 0 4 3 c g 3 0 7 2 4 ' +
  '0 5 2 3 0 2 0 3 2 3 2 4 2 9 0 4 3 6 2 4 0 5 8 2 e d d 4 0 9 0 4 0 o 0 b 0 6 3 8 0 4 0 5 6 3 8 3 3 b h 3 0 9 ' +
  '0 4 0 o 0 b 0 6 3 8 0 4 0 5 6 3 6 2 0 3 3 b h 3 0 9 0 4 0 o 0 h 3 7 1 4 0 5 8 2 7 3 3 b h 3 0 j 2 p 0 a 0 2 ' +
  '1 8 2 2 3 7 0 2 0 9 h 4 b 1n 3 u 10 3 0 2 1 3 0 2 1 2 5 5 0 8 0 4 0 2 0 2 1 3 0 e 0 4 1 6 0 2 0 7 1 b 1 3 x ' +
  '21 0 z 5 s 3 9 0 11 0 g 1 2 1b z 0 6 0 3 0 8 2 5 5 r 1x 13 9 16 1 2 3 2j 4 1x 4 2b 5 8 0 1s 0 2 0 5 1 8 0 2 ' +
  '0 5 1 14 0 2 0 5 1 w 0 2 0 5 1 8 0 2 0 5 1 8 0 8 0 o 0 w 0 2 0 5 1 8 0 14 0 k 5 t y 2e b hj 8 u 2 2a e e 0 8 ' +
  'a o 8 l b e 0 4 0 3 b 2m 2 b l g 0 b 5 2h 7 17 11x 4d 3 2j 5 n 1 7 1 13 1 7 1 9 0 2 0 2 0 2 0 w 1 1i 0 g 0 f ' +
  '1 7 0 k 1 4 0 a 0 2c 3 2 6 6 5 9 1 s g j t s k 1o 1 g 6 1e b g0 1c 14 o c k 4g 0 7p 1 3 0 2u 1 b 3a 5 0 5 1 ' +
  't 0 10 0 2 0 5 2 2 0 8 1 1h 2 p 0 f g t 3 lt ov r 0 2i b 5z p d 3 1t 0 2f 1 2w 4 15 3 2n 0 15 1j 1a 2 11 c ' +
  '18 2 26 3 1c 0 3c 3 2s 1 w 0 52v 21 g4n 2h we 2 1k 1fc 8md 2j 6r3 1 1o 44 8 b 6 4 r 0 6 0 2 0 3 0 3 0 31 w ' +
  'a6 f 1t 1 1j 7 1a 2 h f 5 b o 1 b 0 k 0 5 3 6 0 3s 1 2 0 5b 2 7 1 7 1 7 1 4 2 8 0 8 9 8 lb w 0 5 b s 50 13 1 ' +
  '13 148h 6v 9 14 2 51 f5 2e 0 20 0 3 1 2 1 3 1 5 0 d 0 2 0 5 0 3 0 1u 0 5 1 9 0 8 0 t 0 5 0 6 0 2 2 8 0 9f 3 ' +
  '83 3 1f 7wd wyi g14 f3 15r 3 1ekd 3 1ekd 3 1ekd 3 1ekd 3 1ekd 3 1ekd 3 1ekd 3 1ekd 3 1ekd 3 1ekd 3 1ekd 3 0 ' +
  '2 t 2p 1egt';

const createTables = (): Readonly<
  Record<'removed' | 'spaces' | 'forbidden' | 'rightToLeft' | 'leftToRight', Table>
> => {
  const [isProhibited, isUnassigned] = [tableOf(prohibited), tableOf(unassigned)];
  return {
    removed: tableOf(removed),
    spaces: tableOf(spaces),
    forbidden: codePoint => isProhibited(codePoint) || isUnassigned(codePoint),
    rightToLeft: tableOf(rightToLeft),
    leftToRight: tableOf(leftToRight),
  };
};

let decoded: ReturnType<typeof createTables> | undefined;

const codePointsOf = (text: string): readonly number[] => Array.from(text, character => character.codePointAt(0)!);

/** Returns the prepared text, or undefined if it contains a forbidden character or mixes directions of writing. */
export function saslprep(text: string): string | undefined {
  const tables = (decoded ??= createTables());
  const mapped = codePointsOf(text)
    // The zero-width space is in both tables. It becomes a space.
    .map(codePoint => (tables.spaces(codePoint) ? 0x20 : codePoint))
    .filter(codePoint => !tables.removed(codePoint));
  const prepared = String.fromCodePoint(...mapped).normalize('NFKC');
  const codePoints = codePointsOf(prepared);
  if (codePoints.some(tables.forbidden)) return undefined;
  // Rule: RFC 3454, section 6.
  if (
    codePoints.some(tables.rightToLeft) &&
    (codePoints.some(tables.leftToRight) ||
      !tables.rightToLeft(codePoints[0]!) ||
      !tables.rightToLeft(codePoints.at(-1)!))
  )
    return undefined;
  return prepared;
}

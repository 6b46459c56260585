import type { Pattern } from './syntax.js';

/**
 * Returns the maximum number of ways in which a backtracking engine may divide the characters among the parts of a
 * pattern. It may have to try all of them before it finds that there is no match.
 */
export const waysOf = (pattern: Pattern, length: number): number => {
  switch (pattern.is) {
    case 'char':
    case 'start':
    case 'end':
    case 'boundary':
      return 1;
    case 'reference':
      return 1;
    case 'sequence':
      return pattern.of.reduce((product, part) => product * waysOf(part, length), 1);
    case 'choice':
      return pattern.of.reduce((sum, part) => sum + waysOf(part, length), 0);
    case 'group':
      return waysOf(pattern.of, length);
    // The engine does not backtrack into a lookaround, but may have to try it in full at each offset.
    case 'look':
      return waysOf(pattern.of, length) * (pattern.behind ? length + 1 : 1);
    case 'repeat': {
      const most = Math.min(pattern.most, length + 1);
      const each = waysOf(pattern.of, length);
      const counts = Math.max(1, most - Math.min(pattern.least, most) + 1);
      return each === 1 ? counts : counts * each ** most;
    }
  }
};

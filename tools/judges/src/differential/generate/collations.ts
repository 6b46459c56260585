import type { Fields } from '../tree.js';
import type { Chance } from '../../chance.js';

/** Locales with well-defined rules, and options for case, accents and digits. */
export const collationOf = (chance: Chance): Fields => ({
  locale: chance.pick(['en', 'en', 'de', 'sv']),
  ...(chance.yes(0.8) ? { strength: chance.pick([1, 2, 2, 3]) } : {}),
  ...(chance.yes(0.15) ? { numericOrdering: true } : {}),
  ...(chance.yes(0.1) ? { caseLevel: true } : {}),
});

import type { Profile } from '../rule.js';

export const ferretdb: Profile = {
  name: 'ferretdb',
  lacks: new Set(),
  omissions: [],
  lacksTypes: new Set(['symbol', 'undefined', 'dbPointer', 'numberDecimal']),
  codes: false,
  rules: [],
};

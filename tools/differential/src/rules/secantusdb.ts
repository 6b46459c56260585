import type { Profile } from '../rule.js';

export const secantusdb: Profile = {
  name: 'secantusdb',
  lacks: new Set(),
  lacksFamilies: [],
  lacksTypes: new Set(['symbol', 'undefined', 'dbPointer']),
  codes: false,
  rules: [],
};

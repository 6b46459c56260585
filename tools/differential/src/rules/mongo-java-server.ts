import type { Profile } from '../rule.js';

export const mongoJavaServer: Profile = {
  name: 'mongo-java-server',
  lacks: new Set(),
  omissions: [],
  lacksTypes: new Set(['symbol', 'undefined', 'dbPointer']),
  codes: false,
  rules: [],
};

import type { Mechanisms } from '@tessera/contracts';
import { createPlain } from './plain.js';
import { createScram } from './scram.js';
import { createX509 } from './x509.js';

/** The mechanisms that are small and need no external service. */
export const mechanisms: Mechanisms = {
  DEFAULT: createScram,
  'SCRAM-SHA-1': createScram,
  'SCRAM-SHA-256': createScram,
  'MONGODB-X509': createX509,
  PLAIN: createPlain,
};

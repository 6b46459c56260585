import type { EngineName } from '../../outside/engines.js';
import type { Ability } from './ability.js';

/** What an engine does not have, and how that is known. Whatever is not named here is expected to work. */
export const notOffered: Readonly<Record<EngineName, Readonly<Partial<Record<Ability, string>>>>> = {
  secantusdb: {},
  'mongo-java-server': {
    'change streams': 'it has none, unless it is told to keep a log of changes',
    'SCRAM-SHA-1': 'it has no authentication',
    'SCRAM-SHA-256': 'it has no authentication',
    'X.509': 'it has no authentication',
  },
  ferretdb: {
    'change streams': 'it has none',
    'SCRAM-SHA-1': 'its embeddable form knows PLAIN alone, and lets every password pass',
    'SCRAM-SHA-256': 'its embeddable form knows PLAIN alone, and lets every password pass',
    'X.509': 'it has no such mechanism',
  },
};

import type { EngineName } from '../../outside/engines.js';

/** What the driver can do on an engine; the rows of the table. */
export const abilities = [
  'discovery',
  'CRUD',
  'cursors',
  'change streams',
  'SCRAM-SHA-1',
  'SCRAM-SHA-256',
  'X.509',
  'TLS',
] as const;

export type Ability = (typeof abilities)[number];

/** What was found of an ability; a reason is one sentence. */
export type Outcome =
  | { readonly is: 'yes' }
  | { readonly is: 'no'; readonly reason: string }
  /** The engine does not have it, so nothing was tried. */
  | { readonly is: 'not offered'; readonly reason: string }
  /** The engine cannot be had on this machine. */
  | { readonly is: 'skipped'; readonly reason: string };

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

import type { EngineName } from '../../outside/engines.js';

/** The abilities of the driver that are tried on each engine. They are the rows of the table. */
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

/** The result of trying one ability. A reason is one sentence. */
export type Outcome =
  | { readonly is: 'yes' }
  | { readonly is: 'no'; readonly reason: string }
  /** The engine lacks the feature, so nothing was tried. */
  | { readonly is: 'not offered'; readonly reason: string }
  /** The engine is not available on this machine. */
  | { readonly is: 'skipped'; readonly reason: string };

/** The features that an engine lacks, with the reason. Every other feature is expected to work. */
export const notOffered: Readonly<Record<EngineName, Readonly<Partial<Record<Ability, string>>>>> = {
  secantusdb: {},
  'mongo-java-server': {
    'change streams': 'it has none unless it is configured to keep a change log',
    'SCRAM-SHA-1': 'it has no authentication',
    'SCRAM-SHA-256': 'it has no authentication',
    'X.509': 'it has no authentication',
  },
  ferretdb: {
    'change streams': 'it has none',
    'SCRAM-SHA-1': 'its embedded form supports only PLAIN, and accepts every password',
    'SCRAM-SHA-256': 'its embedded form supports only PLAIN, and accepts every password',
    'X.509': 'it has no such mechanism',
  },
};

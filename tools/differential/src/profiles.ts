import type { EngineName } from '@tessera-tools/engines';
import type { Profile } from './rule.js';
import { ferretdb } from './rules/ferretdb.js';
import { mongoJavaServer } from './rules/mongo-java-server.js';
import { secantusdb } from './rules/secantusdb.js';

/** What is known of each engine. */
export const profiles: Readonly<Record<EngineName, Profile>> = {
  secantusdb,
  'mongo-java-server': mongoJavaServer,
  ferretdb,
};

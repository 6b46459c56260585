import type { Engine } from './engine.js';
import { ferretdb } from './ferretdb.js';
import { mongoJavaServer } from './mongo-java-server.js';
import { secantusdb } from './secantusdb.js';

export type EngineName = 'secantusdb' | 'mongo-java-server' | 'ferretdb';

export const engines: Readonly<Record<EngineName, Engine>> = {
  secantusdb,
  'mongo-java-server': mongoJavaServer,
  ferretdb,
};

export const engineNames: readonly EngineName[] = ['secantusdb', 'mongo-java-server', 'ferretdb'];

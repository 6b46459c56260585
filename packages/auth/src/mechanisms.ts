import type { Mechanism, Mechanisms } from '@tessera/contracts';
import { onDemand } from './on-demand.js';

const sasl = (name: string, maker: 'createScram' | 'createPlain' | 'createX509'): Mechanism =>
  onDemand(name, async () => (await import('./sasl-mechanisms.js'))[maker]);

const external = (name: string, maker: 'createAws' | 'createOidc'): Mechanism =>
  onDemand(name, async () => (await import('./external-mechanisms.js'))[maker]);

/** The mechanisms that need no external service. Their code is loaded for the first connection that authenticates. */
export const mechanisms: Mechanisms = {
  DEFAULT: sasl('SCRAM', 'createScram'),
  'SCRAM-SHA-1': sasl('SCRAM-SHA-1', 'createScram'),
  'SCRAM-SHA-256': sasl('SCRAM-SHA-256', 'createScram'),
  'MONGODB-X509': sasl('MONGODB-X509', 'createX509'),
  PLAIN: sasl('PLAIN', 'createPlain'),
};

/** The mechanisms that use an external service. Their code is loaded for the first connection that authenticates. */
export const externalMechanisms: Mechanisms = {
  'MONGODB-AWS': external('MONGODB-AWS', 'createAws'),
  'MONGODB-OIDC': external('MONGODB-OIDC', 'createOidc'),
};

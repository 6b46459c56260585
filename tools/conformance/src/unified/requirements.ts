import type { Traits } from './deployment.js';
import type { Requirement } from './format.js';
import { match, nested, noEntities } from './match.js';
import { compareVersions } from './version.js';

/** A requirement that the deployment does not meet. */
export interface Want {
  readonly of: 'version' | 'topology' | 'auth' | 'mechanism' | 'parameters' | 'serverless' | 'encryption';
  readonly what: string;
}

const meets = (required: unknown, actual: unknown): boolean => {
  try {
    match(required, actual, nested('parameter', noEntities));
    return true;
  } catch {
    return false;
  }
};

/** Maps `sharded-replicaset` to `sharded`: every shard is a replica set. */
const plain = (topology: string): string => (topology === 'sharded-replicaset' ? 'sharded' : topology);

const wanting = (required: Requirement, { version, topology, auth, parameters }: Traits): Want | undefined => {
  const { minServerVersion: least, maxServerVersion: most, topologies, authMechanism } = required;
  if (topologies?.map(plain).includes(topology) === false)
    return { of: 'topology', what: topologies.map(plain).join(' or ') };
  if (least !== undefined && compareVersions(version, least) < 0) return { of: 'version', what: `${least} or later` };
  if (most !== undefined && compareVersions(version, most) > 0) return { of: 'version', what: `${most} or earlier` };
  if (required.serverless === 'require') return { of: 'serverless', what: 'a serverless deployment' };
  if (required.auth === !auth) return { of: 'auth', what: auth ? 'no authentication' : 'authentication' };
  if (required.csfle !== undefined && required.csfle !== false)
    return { of: 'encryption', what: 'client-side encryption' };
  if (authMechanism !== undefined) {
    const known = parameters['authenticationMechanisms'] as readonly string[] | undefined;
    if (known?.some(name => name.toLowerCase() === authMechanism.toLowerCase()) !== true)
      return { of: 'mechanism', what: authMechanism };
  }
  for (const [name, value] of Object.entries(required.serverParameters ?? {}))
    if (!meets(value, parameters[name])) return { of: 'parameters', what: `${name}: ${JSON.stringify(value)}` };
  return undefined;
};

/**
 * Returns the unmet part of each requirement; empty if any requirement is met or there are none. Rule:
 * "runOnRequirement".
 */
export const unmet = (required: readonly Requirement[] | undefined, traits: Traits): readonly Want[] => {
  const wants = (required ?? []).map(one => wanting(one, traits));
  return wants.includes(undefined) ? [] : (wants as readonly Want[]);
};

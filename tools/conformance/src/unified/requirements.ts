import type { Requirement } from './format.js';

/** The deployment that tests are run on: one embedded server, without users. */
export interface Deployment {
  readonly version: string;
  readonly topology: string;
}

const parts = (version: string): readonly number[] => version.split('.').map(Number);

/** Parts that one of them leaves out are equal. */
const compare = (one: string, other: string): number => {
  const [a, b] = [parts(one), parts(other)];
  const at = a.findIndex((part, index) => b[index] !== undefined && part !== b[index]);
  return at < 0 ? 0 : a[at]! - b[at]!;
};

/** Why the deployment is not what is required; undefined if it is. */
const wanting = (required: Requirement, { version, topology }: Deployment): string | undefined => {
  const { minServerVersion: least, maxServerVersion: most, topologies, serverless, auth } = required;
  if (least !== undefined && compare(version, least) < 0) return `a server of ${least} at least`;
  if (most !== undefined && compare(version, most) > 0) return `a server of ${most} at most`;
  if (topologies?.includes(topology) === false) return `a deployment that is ${topologies.join(' or ')}`;
  if (serverless === 'require') return 'a serverless deployment';
  if (auth === true) return 'a deployment with users';
  if (required.csfle !== undefined) return 'client-side encryption';
  if (required.serverParameters !== undefined) return 'server parameters';
  return undefined;
};

/** Undefined if one of them is met. Rule: "runOnRequirement". */
export const unmet = (required: readonly Requirement[] | undefined, deployment: Deployment): string | undefined => {
  if (required === undefined) return undefined;
  const all = required.map(one => wanting(one, deployment));
  return all.includes(undefined)
    ? undefined
    : `it is for ${all.join(', or ')}; here is one server of ${deployment.version}`;
};

import { MongoError } from '@tessera/contracts';
import type { Address, Millis, Request, Selection, ServerDescription, TopologyDescription } from '@tessera/contracts';
import { tagSetText, summaryOf } from './server-summary.js';

/** Describes the operation: `find (primary)`, `find (secondary, tags {dc: ny}) at a:27017`. */
const requestText = (request: Request<unknown>, at: Address | undefined): string =>
  `${request.operation.name} (${readPreferenceText(request.operation.selection)})${at === undefined ? '' : ` at ${at}`}`;

const readPreferenceText = ({ mode, tags, maxStalenessSeconds }: Selection): string => {
  const parts: string[] = [mode];
  if (tags !== undefined && tags.length > 0) parts.push(`tags ${tags.map(tagSetText).join(' or ')}`);
  if (maxStalenessSeconds !== undefined && maxStalenessSeconds > 0)
    parts.push(`at most ${maxStalenessSeconds} s stale`);
  return parts.join(', ');
};

/** The state of the deployment when the selection failed. */
export interface SelectionContext {
  readonly topology: TopologyDescription;
  /** The server that was removed last because of its reply. */
  readonly removed: ServerDescription | undefined;
  readonly now: Millis;
  readonly heartbeatFrequencyMS: Millis;
}

/** The maximum number of members of a replica set. Further servers are only counted. */
const mostListed = 50;

/** Describes the topology, with a summary of each server. */
const deploymentText = (context: SelectionContext, selection: Selection): string => {
  const { topology } = context;
  const set = topology.setName === undefined ? '' : ` of ${topology.setName}`;
  const servers = [...topology.servers.values()];
  const summaries = servers.slice(0, mostListed).map(server => summaryOf(server, topology, selection, context));
  if (servers.length > mostListed) summaries.push(`and ${servers.length - mostListed} more`);
  return `${wrongSet(context)}The deployment is ${topology.type}${set}: ${summaries.length === 0 ? 'no servers are left' : summaries.join('; ')}.`;
};

/** Describes why the last server of a deployment was removed, if its replica set has another name. */
const wrongSet = ({ topology, removed }: SelectionContext): string => {
  if (topology.servers.size > 0 || removed === undefined || removed.setName === topology.setName) return '';
  const set = removed.setName === undefined ? 'no replica set' : `the replica set ${removed.setName}`;
  return `${removed.address} belongs to ${set}, but this client expects ${topology.setName}. `;
};

const advice = (topology: TopologyDescription, selection: Selection): string => {
  const servers = [...topology.servers.values()];
  if (servers.length === 0) return 'Check that the seeds and the option replicaSet name the intended deployment.';
  if (servers.every(server => server.type === 'Unknown'))
    return 'Check that the servers run, and that addresses, firewalls and TLS settings let this client reach them.';
  if (topology.type === 'ReplicaSetNoPrimary' && selection.mode === 'primary')
    return 'Wait for an election (serverSelectionTimeoutMS sets the limit), or read with secondaryPreferred.';
  if (topology.type.startsWith('ReplicaSet'))
    return 'Check that members of this kind are up, or relax the read preference: another mode, other tags, a greater maxStalenessSeconds.';
  return 'Check that the servers are up and belong to one deployment.';
};

/**
 * Returns the error of a selection that found no suitable server in time. Rule: Server Selection, "Server selection
 * errors".
 */
export const noServer = (
  request: Request<unknown>,
  at: Address | undefined,
  context: SelectionContext,
  waited: Millis,
): MongoError => {
  const { topology } = context;
  const { selection } = request.operation;
  return failure(
    'selection',
    `No server for ${requestText(request, at)} within ${Math.round(waited)} ms. ${deploymentText(context, selection)} ${advice(topology, selection)}`,
    at,
    [...topology.servers.values()].find(({ error }) => error !== undefined)?.error,
    waited,
  );
};

/** Returns the error of a cursor or transaction whose server left the deployment. */
export const serverLeft = (request: Request<unknown>, at: Address, context: SelectionContext): MongoError =>
  failure(
    'selection',
    `${at}, where ${request.operation.name} has to run because a cursor or transaction is bound to that server, is no longer part of the deployment. ${deploymentText(context, request.operation.selection)} Start the cursor or transaction again.`,
    at,
  );

export const incompatible = (topology: TopologyDescription): MongoError =>
  failure('selection', topology.compatibilityError ?? 'A server speaks no common wire version.', undefined);

export const invalidSelection = (request: Request<unknown>, why: string): MongoError =>
  failure('usage', `Cannot select a server for ${request.operation.name}: ${why}.`, undefined);

export const clientIsClosed = (): MongoError =>
  failure('closed', 'The client is closed. Create a new MongoClient to run more operations.', undefined);

/** Returns the error of an operation that was interrupted because the client closed. The attempt adds the origin. */
export const closedUnderWay = (): MongoError =>
  new MongoError(
    'closed',
    'The client was closed before the server replied. Close it after all operations have completed.',
  );

export const selectionAborted = (request: Request<unknown>): MongoError =>
  failure(
    'aborted',
    `${request.operation.name} was aborted by its signal during server selection.`,
    undefined,
    request.signal?.reason,
  );

/** Returns the error of an operation that failed before a server was selected. */
export const failure = (
  kind: 'selection' | 'usage' | 'closed' | 'aborted',
  message: string,
  address: Address | undefined,
  cause?: unknown,
  waited?: Millis,
): MongoError => new MongoError(kind, message, { cause, origin: { phase: 'select', sent: false, address, waited } });

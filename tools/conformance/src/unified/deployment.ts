import { MongoClient } from '@tessera/client';
import type { Document, Runtime } from '@tessera/contracts';
import type { Feature } from './features.js';

/** The servers that a case runs against, and the runtime of their clients. */
export interface Deployment {
  readonly runtime: Runtime;
  /** The connection string, with a username and password if the deployment requires authentication. */
  readonly uri: string;
  /** The address of each mongos; empty if the deployment is not sharded. */
  readonly mongoses: readonly string[];
  /** The deployment belongs to the user: the runner may kill only sessions of the case. */
  readonly isForeign?: boolean;
  /** The connection string of a load balancer with a single mongos, if there is one. */
  readonly singleUri?: string;
}

/** The properties of a deployment that requirements of tests refer to. */
export interface Traits {
  readonly version: string;
  readonly topology: 'single' | 'replicaset' | 'sharded' | 'load-balanced';
  readonly auth: boolean;
  readonly parameters: Document;
}

/** A kind of deployment on which cases run. */
export interface Bench extends AsyncDisposable {
  /** The name in reports, such as `embedded 8.2.1 single`. */
  readonly name: string;
  /** The deployment runs in real time, so a busy machine may miss a limit of a few milliseconds. */
  readonly isTimed: boolean;
  /** Features that the deployment lacks. Cases that need one are skipped. */
  readonly lacks: ReadonlySet<Feature>;
  /** Provides a deployment for some cases. It may contain collections of earlier cases, but nothing else. */
  lend<T>(use: (deployment: Deployment) => Promise<T>): Promise<T>;
}

/**
 * Opens the runner's internal client. It checks its servers rarely, so that it does not trigger fail points. Rule:
 * "Internal MongoClient".
 */
export const openInternal = ({ runtime, uri, singleUri }: Deployment): MongoClient =>
  new MongoClient(
    singleUri ?? uri,
    { appName: 'unified test runner', serverMonitoringMode: 'poll', heartbeatFrequencyMS: 3_600_000 },
    { runtime },
  );

const topologyOf = (hello: Document, { uri }: Deployment): Traits['topology'] => {
  if (hello['msg'] === 'isdbgrid') return uri.includes('loadBalanced=true') ? 'load-balanced' : 'sharded';
  return hello['setName'] === undefined ? 'single' : 'replicaset';
};

/** Reads the version, topology and server parameters of the deployment. */
export const askTraits = async (deployment: Deployment): Promise<Traits> => {
  const client = openInternal(deployment);
  try {
    const admin = client.db('admin');
    const { versionArray } = await admin.command({ buildInfo: 1 });
    const hello = await admin.command({ hello: 1 });
    const parameters = await admin.command({ getParameter: '*' }).catch((): Document => ({}));
    return {
      version: (versionArray as number[]).slice(0, 3).join('.'),
      topology: topologyOf(hello, deployment),
      auth: deployment.uri.includes('@'),
      parameters,
    };
  } finally {
    await client.close();
  }
};

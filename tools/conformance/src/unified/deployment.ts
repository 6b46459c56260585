import { MongoClient } from '@tessera/client';
import type { Document, Runtime } from '@tessera/contracts';
import type { Feature } from './features.js';

/** Servers that a case is run against, and the world that they are in. */
export interface Deployment {
  readonly runtime: Runtime;
  /** With a user's name and password, if whoever connects is asked for them. */
  readonly uri: string;
  /** Where each mongos can be reached by itself; empty without any. */
  readonly mongoses: readonly string[];
  /** It belongs to somebody: of its sessions only those of the case may be killed. */
  readonly isForeign?: boolean;
  /** Of a load balancer before one mongos alone, where there is one. */
  readonly singleUri?: string;
}

/** What a deployment says of itself. */
export interface Traits {
  readonly version: string;
  readonly topology: 'single' | 'replicaset' | 'sharded' | 'load-balanced';
  readonly auth: boolean;
  readonly parameters: Document;
}

/** One kind of deployment under test. */
export interface Bench extends AsyncDisposable {
  /** `embedded 8.2.1 single`, for reports. */
  readonly name: string;
  /** Time passes there as it does here: on a busy machine a limit of some milliseconds may be missed. */
  readonly isTimed: boolean;
  /** What it cannot do: cases that need it are skipped. */
  readonly lacks: ReadonlySet<Feature>;
  /** Lends a deployment for some cases, with nothing in it of those before but perhaps their collections. */
  lend<T>(use: (deployment: Deployment) => Promise<T>): Promise<T>;
}

/** A client of the runner's own, which looks at its servers seldom: fail points are not for it. Rule: "Internal MongoClient". */
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

/** Asks the deployment what it is. */
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

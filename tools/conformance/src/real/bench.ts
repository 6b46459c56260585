import { MongoClient } from '@tessera/client';
import type { Document } from '@tessera/contracts';
import { createNode } from '@tessera/node';
import type { Bench, Deployment } from '../unified/deployment.js';
import type { Feature } from '../unified/features.js';

/**
 * Features that are never tested on a user's deployment. For example, the tests must not make its primary step down.
 */
const never: readonly Feature[] = ['several members', 'OIDC', 'encryption', 'OpenTelemetry'];

/** A deployment given by the user's connection string. */
export interface Real extends Bench {
  readonly runtime: Deployment['runtime'];
  /** Features of the integration tests that the deployment lacks, each with the reason. */
  readonly lacksOfTests: Readonly<Record<string, string>>;
}

const hasFailPoints = (client: MongoClient): Promise<boolean> =>
  client
    .db('admin')
    .command({ configureFailPoint: 'failCommand', mode: 'off' })
    .then(
      () => true,
      () => false,
    );

const hostsOf = (uri: string): readonly string[] => /^mongodb:\/\/(?:[^@/]*@)?([^/?]*)/.exec(uri)![1]!.split(',');

const noSet = 'the deployment is a standalone server';

/** Connects to the deployment and detects its topology and features. @throws Error if it cannot be reached */
export const openReal = async (uri: string): Promise<Real> => {
  const runtime = createNode();
  const client = new MongoClient(uri, {}, { runtime });
  let hello: Document;
  let withFailPoints: boolean;
  try {
    hello = await client.db('admin').command({ hello: 1 });
    withFailPoints = await hasFailPoints(client);
  } finally {
    await client.close();
  }
  const isSharded = hello['msg'] === 'isdbgrid';
  const isAlone = !isSharded && hello['setName'] === undefined;
  const deployment: Deployment = { runtime, uri, mongoses: isSharded ? hostsOf(uri) : [], isForeign: true };
  return {
    name: hostsOf(uri).join(','),
    runtime,
    isTimed: true,
    lacks: new Set<Feature>(withFailPoints ? never : [...never, 'fail points']),
    lacksOfTests: {
      ...(isAlone ? { 'change streams': noSet, 'causal consistency': noSet, transactions: noSet } : {}),
      ...(isAlone
        ? { 'replica set': noSet }
        : isSharded
          ? { 'replica set': 'the deployment is a sharded cluster' }
          : {}),
      ...(withFailPoints ? {} : { 'fail points': 'the deployment does not support fail points (enableTestCommands)' }),
    },
    lend: use => use(deployment),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
};

/** Drops the databases with the given names that exist. Returns how many were dropped. */
export const dropDatabases = async ({ runtime }: Real, uri: string, names: ReadonlySet<string>): Promise<number> => {
  const client = new MongoClient(uri, {}, { runtime });
  try {
    const { databases } = (await client.db('admin').command({ listDatabases: 1, nameOnly: true })) as {
      readonly databases: readonly { readonly name: string }[];
    };
    const present = databases.filter(({ name }) => names.has(name));
    for (const { name } of present) await client.db(name).dropDatabase();
    return present.length;
  } finally {
    await client.close();
  }
};

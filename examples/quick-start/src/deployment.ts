import type { MongoClient } from '@tessera/mongodb';
import { startCluster, startServer } from 'tessera-server';
import type { FailOver } from './job.js';
import { number } from './screen.js';

/** The deployment that the program connects to. */
export interface Deployment extends AsyncDisposable {
  readonly uri: string;
  /** The description in the first line of the output. */
  readonly name: string;
  /** The program started the deployment itself. */
  readonly isOwn: boolean;
  /** Prepares a step-down of the primary during the import; undefined for no step-down. */
  readonly failOver: ((client: MongoClient) => FailOver) | undefined;
}

/** The parsed arguments, or a message that describes the valid arguments. */
export type Arguments = { readonly members: number | undefined } | { readonly mistake: string };

/** Parses `--topology replicaset:3`. */
export const readArguments = (words: readonly string[]): Arguments => {
  if (words.length === 0) return { members: undefined };
  const found = /^--topology[ =]replicaset(?::([2-7]))?$/.exec(words.join(' '));
  if (found !== null) return { members: Number(found[1] ?? 3) };
  return {
    mistake:
      'Usage: npm start [-- --topology replicaset:N], with 2 to 7 members. With this option, the primary steps down during an import.',
  };
};

const nothing = (): Promise<void> => Promise.resolve();

const given = (uri: string): Deployment => ({
  uri,
  name: 'the deployment at MONGODB_URI',
  isOwn: false,
  failOver: undefined,
  [Symbol.asyncDispose]: nothing,
});

const single = async (): Promise<Deployment> => {
  const server = await startServer();
  return {
    uri: server.uri,
    name: 'the embedded server',
    isOwn: true,
    failOver: undefined,
    [Symbol.asyncDispose]: () => server.close(),
  };
};

const replicaSet = async (members: number): Promise<Deployment> => {
  const cluster = await startCluster({ topology: 'replicaset', members });
  return {
    uri: cluster.uri,
    name: `an embedded replica set of ${String(members)} members`,
    isOwn: true,
    failOver: client => {
      let before = '';
      let after = '';
      let lasted = 0;
      let refused = 0;
      client.on('commandFailed', ({ commandName }) => {
        if (commandName === 'insert') refused += 1;
      });
      return {
        begin: async () => {
          before = cluster.primary?.address ?? 'no member';
          const start = performance.now();
          await cluster.stepDown();
          lasted = performance.now() - start;
          after = cluster.primary?.address ?? 'no member';
        },
        report: () =>
          `${before} stepped down, ${after} became primary after ${number(lasted)} ms, inserts retried: ${String(refused)}`,
      };
    },
    [Symbol.asyncDispose]: () => cluster.close(),
  };
};

/** Returns the user's deployment if `own` is its connection string; else starts an embedded one. */
export const openDeployment = (own: string | undefined, members: number | undefined): Promise<Deployment> => {
  if (members !== undefined) return replicaSet(members);
  return own === undefined ? single() : Promise.resolve(given(own));
};

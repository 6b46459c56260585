import type { MongoClient } from '@tessera/mongodb';
import { startCluster, startServer } from 'tessera-server';
import type { Mishap } from './job.js';
import { number } from './screen.js';

/** What the program is run on. */
export interface Deployment extends AsyncDisposable {
  readonly uri: string;
  /** In the words of the first line. */
  readonly name: string;
  /** It is ours, and so is all that is in it. */
  readonly isOwn: boolean;
  /** Makes the deployment fail once, in the midst of the job; undefined: it is left in peace. */
  readonly failOver: ((client: MongoClient) => Mishap) | undefined;
}

/** What the command line asks for, or a sentence that says what may be asked for. */
export type Wish = { readonly members: number | undefined } | { readonly mistake: string };

/** `--topology replicaset:3` */
export const readArguments = (words: readonly string[]): Wish => {
  if (words.length === 0) return { members: undefined };
  const found = /^--topology[ =]replicaset(?::([2-7]))?$/.exec(words.join(' '));
  if (found !== null) return { members: Number(found[1] ?? 3) };
  return {
    mistake:
      'npm start takes no arguments, or --topology replicaset:3 (2 to 7 members): the primary steps down in the midst of an import.',
  };
};

const nobody = (): Promise<void> => Promise.resolve();

const given = (uri: string): Deployment => ({
  uri,
  name: 'the deployment of MONGODB_URI',
  isOwn: false,
  failOver: undefined,
  [Symbol.asyncDispose]: nobody,
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
          before = cluster.primary?.address ?? 'nobody';
          const start = performance.now();
          await cluster.stepDown();
          lasted = performance.now() - start;
          after = cluster.primary?.address ?? 'nobody';
        },
        told: () =>
          `${before} stepped down, ${after} was elected ${number(lasted)} ms later, inserts sent again: ${String(refused)}`,
      };
    },
    [Symbol.asyncDispose]: () => cluster.close(),
  };
};

/** The user's own deployment, if one is named; else one of this process. */
export const openDeployment = (own: string | undefined, members: number | undefined): Promise<Deployment> => {
  if (members !== undefined) return replicaSet(members);
  return own === undefined ? single() : Promise.resolve(given(own));
};

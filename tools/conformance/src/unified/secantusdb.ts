import { startEngine } from '@tessera-tools/judges';
import { MongoClient } from '@tessera/client';
import { createNode } from '@tessera/node';
import type { Bench } from './deployment.js';
import type { Feature } from './features.js';

/** Features that SecantusDB lacks. It runs as a replica set of one member. */
const lacks: ReadonlySet<Feature> = new Set<Feature>([
  'several members',
  'sharded',
  'load-balanced',
  'OIDC',
  'encryption',
  'OpenTelemetry',
]);

const [name, password] = ['runner', 'secret'];

/** Starts a SecantusDB server on a local port. It serves all cases. */
export const createSecantusdb = async (auth: boolean): Promise<Bench> => {
  const runtime = createNode();
  const makeUser = async (uri: string): Promise<void> => {
    const client = new MongoClient(uri, {}, { runtime });
    try {
      await client.db('admin').command({ createUser: name, pwd: password, roles: ['root'] });
    } finally {
      await client.close();
    }
  };
  const engine = await startEngine('secantusdb', auth ? { users: makeUser } : {});
  const uri = auth ? engine.uri.replace('mongodb://', `mongodb://${name}:${password}@`) : engine.uri;
  return {
    name: `secantusdb${auth ? ' with authentication' : ''}`,
    isTimed: true,
    lacks,
    lend: use => use({ runtime, uri, mongoses: [] }),
    [Symbol.asyncDispose]: () => engine.stop(),
  };
};

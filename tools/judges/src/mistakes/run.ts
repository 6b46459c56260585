import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import * as official from 'mongodb';
import * as ours from '@tessera/mongodb';
import { startBlackPipe, startServer } from 'tessera-server';
import { late, within } from '../within.js';
import type { Deployments, Desk, Film, Mistake } from './mistake.js';

/** The end of a program: the class and the message of its error, or its result. */
export interface Outcome {
  readonly error: string | undefined;
  readonly message: string;
}

/** Starts the deployments, and closes them when it is disposed. */
export const startDeployments = async (): Promise<Deployments & AsyncDisposable> => {
  const standalone = await startServer();
  const replicaSet = await startServer({ replicaSet: 'rs0' });
  const secured = await startServer({ users: [{ user: 'ada', pwd: 'engine', roles: ['root'] }] });
  const old = await startBlackPipe({ hello: { ismaster: true, maxWireVersion: 7, minWireVersion: 0, ok: 1 } });
  const web = createServer((_, response) => response.end('It works!')).listen(0, '127.0.0.1');
  await new Promise(resolve => web.once('listening', resolve));
  const closed = createServer().listen(0, '127.0.0.1');
  await new Promise(resolve => closed.once('listening', resolve));
  const { port } = closed.address() as AddressInfo;
  await new Promise(resolve => closed.close(resolve));
  return {
    standalone: standalone.uri,
    replicaSet: replicaSet.uri,
    secured: secured.uri,
    old: old.uri,
    web: `mongodb://127.0.0.1:${(web.address() as AddressInfo).port}/`,
    nothing: `mongodb://127.0.0.1:${port}/`,
    async [Symbol.asyncDispose]() {
      web.close();
      await Promise.all([standalone.close(), replicaSet.close(), secured.close(), old[Symbol.asyncDispose]()]);
    },
  };
};

/** Replaces ports, times and ids, which differ from run to run. */
const stable = (text: string): string =>
  text
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:27017')
    .replaceAll(/\b\d+(?:\.\d+)? ms\b/g, 'N ms')
    .replaceAll(/\btest\d+/g, 'films')
    .replaceAll(/\b[0-9a-f]{24}\b/g, '…')
    .replaceAll(/[0-9A-F]{16}:error:[0-9A-F]+:/g, 'error:')
    .replaceAll(/\.c:\d+:/g, '.c:')
    .trim();

let collections = 0;

export type DriverName = 'ours' | 'official';
const drivers: Readonly<Record<DriverName, typeof official>> = { ours: ours as unknown as typeof official, official };

/** Runs the program with one driver. A program that has not ended after five seconds counts as pending. */
export const outcomeOf = async ({ run }: Mistake, deployments: Deployments, driver: DriverName): Promise<Outcome> => {
  const module = drivers[driver];
  const client = new module.MongoClient(deployments.standalone);
  const films = client.db('shop').collection<Film>(`test${collections++}`);
  const withClient: Desk['withClient'] = async (uri, options, use) => {
    const other = new module.MongoClient(uri, options);
    try {
      return await use(other);
    } finally {
      await other.close();
    }
  };
  try {
    const result = await within(run({ ...deployments, module, client, films, withClient }), 5000);
    if (result === late) return { error: undefined, message: 'no end within 5 seconds' };
    return {
      error: undefined,
      message: stable(`no error; the result is ${inspect(result, { breakLength: Infinity, depth: 0 })}`),
    };
  } catch (error) {
    return error instanceof Error
      ? { error: error.name, message: stable(error.message) }
      : { error: typeof error, message: stable(String(error)) };
  } finally {
    await client.close();
  }
};

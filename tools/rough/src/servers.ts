import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAuthority } from '@tessera-tools/engines';
import { MongoClient } from '@tessera/mongodb';
import { startServer } from 'tessera-server';
import type { RunningServer } from 'tessera-server';
import type { Fault, Transport } from './program.js';
import { startProxy } from './proxy.js';
import type { Place } from './verdict.js';

export interface Servers extends AsyncDisposable {
  placeOf(transport: Transport): Place;
  /** Empties the server and sets the fault. */
  prepare(transport: Transport, fault: Fault | undefined): Promise<void>;
  /** What the program left at the server, in a sentence each. */
  leftOver(transport: Transport): Promise<string[]>;
}

interface Counts {
  readonly cursors: number;
  readonly transactions: number;
  readonly sessions: number;
}

/** The part of the reply of serverStatus that counts what is open. */
interface Status {
  readonly metrics: { readonly cursor: { readonly open: { readonly total: number } } };
  readonly transactions: { readonly currentOpen: number };
  readonly logicalSessionRecordCache: { readonly activeSessionsCount: number };
}

/** A server and the client that asks it. */
const watched = async (server: RunningServer, options: object) => {
  const client = new MongoClient(server.uri, { ...options, maxPoolSize: 1 });
  const admin = client.db('admin');
  const count = async (): Promise<Counts> => {
    const status = (await admin.command({ serverStatus: 1 })) as unknown as Status;
    return {
      cursors: status.metrics.cursor.open.total,
      transactions: status.transactions.currentOpen,
      sessions: status.logicalSessionRecordCache.activeSessionsCount,
    };
  };
  let before = await count();
  return {
    prepare: async (fault: Fault | undefined): Promise<void> => {
      await client.db('rough').dropDatabase();
      await client
        .db('rough')
        .collection('coll')
        .insertMany(Array.from({ length: 20 }, (_, a) => ({ a })));
      before = await count();
      if (fault === undefined) return;
      const { commands, times, data } = fault;
      await admin.command({
        configureFailPoint: 'failCommand',
        mode: { times },
        data: { ...data, failCommands: commands, appName: 'rough' },
      });
    },
    leftOver: async (): Promise<string[]> => {
      await admin.command({ configureFailPoint: 'failCommand', mode: 'off' });
      const differences = async (): Promise<string[]> => {
        const after = await count();
        return (['cursors', 'transactions', 'sessions'] as const)
          .filter(name => after[name] > before[name])
          .map(name => `${after[name] - before[name]} open ${name} left at the server`);
      };
      let left = await differences();
      for (let i = 0; i < 20 && left.length > 0; i++) {
        await new Promise(resolve => setTimeout(resolve, 25));
        left = await differences();
      }
      return left;
    },
    close: async (): Promise<void> => {
      await client.close();
      await server.close();
    },
  };
};

/** Starts a server per transport. */
export const startServers = async (): Promise<Servers> => {
  const folder = mkdtempSync(join(tmpdir(), 'rough-'));
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const authority = createAuthority();
  const tlsCAFile = write('ca.pem', authority.certificate);
  const identity = authority.issue('localhost', { hosts: ['localhost', '127.0.0.1'] });
  const tlsCertificateKeyFile = write('server.pem', identity.both);
  const common = { testCommands: true, replicaSet: 'rs0' };
  const plain = await startServer(common);
  const secured = await startServer({ ...common, tlsCertificateKeyFile });
  const proxy = await startProxy();
  const byPlain = await watched(plain, {});
  const byTls = await watched(secured, { tlsCAFile });
  const of = (transport: Transport) => (transport === 'tls' ? byTls : byPlain);
  const appName = { appName: 'rough' };
  return {
    placeOf: transport => {
      if (transport === 'tls') return { uri: secured.uri, options: { ...appName, tlsCAFile } };
      const proxied = { proxyHost: '127.0.0.1', proxyPort: proxy.port };
      return { uri: plain.uri, options: transport === 'plain' ? appName : { ...appName, ...proxied } };
    },
    prepare: (transport, fault) => of(transport).prepare(fault),
    leftOver: transport => of(transport).leftOver(),
    [Symbol.asyncDispose]: async () => {
      await byPlain.close();
      await byTls.close();
      await proxy.close();
      rmSync(folder, { recursive: true });
    },
  };
};

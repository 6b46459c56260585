/** The embedded server, with a client that prepares it and counts what programs leave there. */
import { setTimeout as sleep } from 'node:timers/promises';
import { MongoClient } from '@tessera/mongodb';
import type { RunningServer } from 'tessera-server';
import type { Fault } from './program.js';

export interface Watched {
  /** Removes all data, and counts the open resources. */
  prepare(): Promise<void>;
  fault(fault: Fault | undefined): Promise<void>;
  /**
   * Waits until the server has released its resources, up to a limit. Returns a sentence for each kind with more open
   * than before and allowed.
   */
  leftOver(allowed: Readonly<Partial<Record<Countable, number>>>): Promise<string[]>;
  close(): Promise<void>;
}

const countable = ['cursors', 'transactions', 'sessions'] as const;
type Countable = (typeof countable)[number];

/** The used fields of the reply to serverStatus. */
interface Status {
  readonly metrics: { readonly cursor: { readonly open: { readonly total: number } } };
  readonly transactions: { readonly currentOpen: number };
  readonly logicalSessionRecordCache: { readonly activeSessionsCount: number };
}

/** How long the server may take to notice closed connections, in milliseconds. */
const grace = 2000;

export const watch = async (server: RunningServer, options: object): Promise<Watched> => {
  const client = new MongoClient(server.uri, { ...options, maxPoolSize: 1 });
  const admin = client.db('admin');
  const count = async (): Promise<Record<Countable, number>> => {
    const status = (await admin.command({ serverStatus: 1 })) as unknown as Status;
    return {
      cursors: status.metrics.cursor.open.total,
      transactions: status.transactions.currentOpen,
      sessions: status.logicalSessionRecordCache.activeSessionsCount,
    };
  };
  let before = await count();
  const fault: Watched['fault'] = async wanted => {
    if (wanted === undefined) await admin.command({ configureFailPoint: 'failCommand', mode: 'off' });
    else {
      const { commands, times, data } = wanted;
      await admin.command({
        configureFailPoint: 'failCommand',
        mode: { times },
        data: { ...data, failCommands: commands, appName: 'rough' },
      });
    }
  };
  return {
    fault,
    prepare: async () => {
      await fault(undefined);
      await client.db('rough').dropDatabase();
      await client
        .db('rough')
        .collection('coll')
        .insertMany(Array.from({ length: 20 }, (_, a) => ({ a })));
      before = await count();
    },
    leftOver: async allowed => {
      const names = countable.filter(name => allowed[name] !== undefined);
      const end = performance.now() + grace;
      for (;;) {
        const after = await count();
        const more = names.filter(name => after[name] > before[name] + allowed[name]!);
        if (more.length === 0 || performance.now() > end)
          return more.map(name => `the server has ${after[name] - before[name]} open ${name} left`);
        await sleep(25);
      }
    },
    close: async () => {
      await client.close();
      await server.close();
    },
  };
};

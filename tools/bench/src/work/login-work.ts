import type { Document } from '../documents/varied.js';
import type { Database, NewClient } from '../side.js';
import { regular, slowApp, strangers } from '../users.js';
import type { User } from '../users.js';
import type { Work } from './work.js';

/** Opens a client, runs a command and closes the client. */
const login = (newClient: NewClient, port: number, next: () => User): Work => {
  const visit = async (command: (database: Database) => Promise<Document>): Promise<Document> => {
    const { user, pwd } = next();
    const client = newClient(`mongodb://127.0.0.1:${port}/`, {
      auth: { username: user, password: pwd },
      authMechanism: 'SCRAM-SHA-256',
    });
    try {
      return await command(client.db('admin'));
    } finally {
      await client.close();
    }
  };
  return {
    operate: () => visit(database => database.command({ ping: 1 })),
    asynchronous: true,
    outcome: result => result,
    verify: () => visit(database => database.command({ connectionStatus: 1 })),
  };
};

/** How many connections a client opens at once. */
const hundred = 100;

/** Opens a client and a hundred connections, because the server delays its replies to ping, and closes the client. */
const loginHundred = (newClient: NewClient, port: number): Work => {
  const visit = async (): Promise<unknown> => {
    const { user, pwd } = regular;
    const client = newClient(`mongodb://127.0.0.1:${port}/`, {
      auth: { username: user, password: pwd },
      authMechanism: 'SCRAM-SHA-256',
      appName: slowApp,
      maxPoolSize: hundred,
      maxConnecting: hundred,
    });
    let ready = 0;
    client.on('connectionReady', () => (ready += 1));
    try {
      await Promise.all(Array.from({ length: hundred }, () => client.db('admin').command({ ping: 1 })));
      return ready;
    } finally {
      await client.close();
    }
  };
  return { operate: visit, asynchronous: true, outcome: result => result, verify: visit };
};

/** Creates the work of authenticating with SCRAM-SHA-256, with cached and with uncached keys. */
export const createLoginWorks = (newClient: NewClient, port: number): ReadonlyMap<string, Work> => {
  let next = 0;
  const stranger = (): User => strangers[next++ % strangers.length]!;
  return new Map([
    ['scram-hot', login(newClient, port, () => regular)],
    ['scram-cold', login(newClient, port, stranger)],
    ['scram-hundred', loginHundred(newClient, port)],
  ]);
};

/** Many TLS connections at once, most of which are closed during the TLS handshake. */
import { connect, createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { MongoClient } from '@tessera/mongodb';
import { startServer } from 'tessera-server';
import { createAuthority, createFiles } from '../../../node/test/certificates.js';

const files = createFiles();
const ca = createAuthority();
const tlsCAFile = files.write('ca.pem', ca.certificate);
const tlsCertificateKeyFile = files.write('server.pem', ca.issue('localhost', { hosts: ['localhost'] }).both);
afterAll(() => {
  files.remove();
});

interface Gate {
  readonly port: number;
  /** The number of connections still to forward. Any other connection is closed when its first bytes arrive. */
  free: number;
  close(): Promise<void>;
}

const createGate = async (to: string): Promise<Gate> => {
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  };
  const server = createServer(socket => {
    keep(socket);
    if (gate.free <= 0) return void socket.on('data', () => socket.destroy());
    gate.free -= 1;
    const upstream = connect(Number(to.split(':').at(-1)), 'localhost');
    keep(upstream);
    upstream.on('close', () => socket.destroy());
    socket.on('close', () => upstream.destroy());
    socket.pipe(upstream).pipe(socket);
  });
  await new Promise<void>(resolve => server.listen(0, 'localhost', resolve));
  const gate: Gate = {
    port: (server.address() as AddressInfo).port,
    free: Infinity,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise(resolve => server.close(() => resolve()));
    },
  };
  return gate;
};

test('Server Discovery and Monitoring, prose test 13: connections that are closed during the TLS handshake do not clear the pool', async () => {
  const server = await startServer({ bindIp: 'localhost', tlsCertificateKeyFile, testCommands: true });
  const gate = await createGate(server.address);
  const client = new MongoClient(`mongodb://localhost:${gate.port}/?tls=true&maxConnecting=100`, { tlsCAFile });
  try {
    const failed: string[] = [];
    let cleared = 0;
    client.on('connectionCheckOutFailed', ({ reason }) => void failed.push(reason));
    client.on('connectionPoolCleared', () => void (cleared += 1));
    const films = client.db('test').collection('films');
    await films.insertOne({});
    await client.db('admin').command({
      configureFailPoint: 'failCommand',
      mode: 'alwaysOn',
      data: { failCommands: ['find'], blockConnection: true, blockTimeMS: 500 },
    });
    gate.free = 20;
    const found = await Promise.allSettled(Array.from({ length: 100 }, () => films.findOne()));
    expect(failed.length).toBeGreaterThanOrEqual(10);
    expect(failed).toEqual(failed.map(() => 'connectionError'));
    expect(cleared).toBe(0);
    expect(found.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThanOrEqual(20);
  } finally {
    await client.close();
    await gate.close();
    await server.close();
  }
});

/** The process of a program that uses the built package. */
import { inspect } from 'node:util';
import { MongoClient } from '@tessera/mongodb';
import { startServer } from 'tessera-server';
import type { RunningServer } from 'tessera-server';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { start } from './program.js';

const nowhere = 'mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=300';

let server: RunningServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

/**
 * Script that prints, as JSON, the driver's resources that keep the process alive, after closed handles are released.
 */
const resources = `for (let turn = 0; turn < 3; turn++) await new Promise(resolve => setImmediate(resolve));
console.log(JSON.stringify(process.getActiveResourcesInfo().filter(name => /Timeout|TCP/.test(name))));`;

test('a program that closes its client exits at once, with no open socket or timer', async () => {
  const { ended } = start(`
    const client = new MongoClient('${server.uri}');
    const films = client.db('shop').collection('films');
    await films.insertMany([{ title: 'Metropolis' }, { title: 'Playtime' }, { title: 'Stalker' }]);
    const cursor = films.find({}, { batchSize: 2 });
    await cursor.next();
    await films.findOne({}, { signal: AbortSignal.timeout(1) }).catch(() => undefined);
    await client.close();
    ${resources}`);
  expect(await ended).toEqual({ code: 0, stdout: '[]\n', stderr: '' });
});

test('a program that never closes its client stays alive', async () => {
  const { child, printed, ended } = start(`
    const client = new MongoClient('${server.uri}');
    await client.db('shop').collection('films').countDocuments();
    ${resources}
    setTimeout(() => console.log('still there'), 500).unref();`);
  await printed('still there');
  expect(child.exitCode).toBeNull();
  child.kill();
  const { stdout } = await ended;
  expect(stdout).toContain('TCPSocketWrap');
});

test("a program whose operation waits for an unreachable server ends with the operation's error", async () => {
  const { ended } = start(`await new MongoClient('${nowhere}').db('shop').collection('films').findOne();`);
  const { code, stdout, stderr } = await ended;
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain('MongoServerSelectionError: No server for find (primary) within');
  expect(stderr).toContain('ECONNREFUSED');
  expect(stderr.length).toBeLessThan(3_000);
});

test('a program that failed to connect exits without calling close', async () => {
  const { ended } = start(`await MongoClient.connect('${nowhere}').catch(({ name }) => console.log(name));`);
  expect(await ended).toEqual({ code: 0, stdout: 'MongoServerSelectionError\n', stderr: '' });
});

test('a program whose first operation finds no server exits without calling close', async () => {
  const { ended } = start(`
    const films = new MongoClient('${nowhere}').db('shop').collection('films');
    await films.findOne().catch(({ name }) => console.log(name));
    await films.insertOne({}).catch(({ name }) => console.log(name));`);
  const name = 'MongoServerSelectionError\n';
  expect(await ended).toEqual({ code: 0, stdout: name + name, stderr: '' });
});

test('a program whose operation waits for a server stays alive', async () => {
  const { ended } = start(`
    const uri = 'mongodb://127.0.0.1:1/?heartbeatFrequencyMS=500&serverSelectionTimeoutMS=1200';
    const began = performance.now();
    await new MongoClient(uri).db('shop').collection('films').findOne().catch(() => undefined);
    console.log(performance.now() - began > 1_000);`);
  expect(await ended).toEqual({ code: 0, stdout: 'true\n', stderr: '' });
});

test('a program that closes its client during an operation exits', async () => {
  const { ended } = start(`
    import { createServer } from 'node:net';
    const silent = createServer(() => {}).unref().listen(0, '127.0.0.1');
    await new Promise(resolve => silent.once('listening', resolve));
    const client = new MongoClient('mongodb://127.0.0.1:' + silent.address().port);
    const waiting = client.db('shop').collection('films').findOne().catch(({ name }) => console.log(name));
    await new Promise(resolve => setTimeout(resolve, 50));
    await client.close();
    await waiting;
    process.exitCode = 3;
    setTimeout(() => process.exit(4), 5_000).unref();`);
  expect(await ended).toEqual({ code: 3, stdout: 'MongoClientClosedError\n', stderr: '' });
});

test('inspecting a client prints its address without its options', () => {
  const client = new MongoClient('mongodb://db1/shop?authMechanismProperties=AWS_SESSION_TOKEN:hunter2');
  expect(inspect(client)).toBe('MongoClient { mongodb://db1:27017/shop, new }');
});

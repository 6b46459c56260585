import type { Authenticator, ConnectOptions, Document } from '@tessera/contracts';
import { MongoError } from '@tessera/contracts';
import { createAbort, expectEqual, expectRejection, expectThrow, expectTrue } from '../case.js';
import type { ContractCase } from '../case.js';
import { address, noteOf } from './bench.js';
import type { ConnectBench, ConnectCase, Open } from './bench.js';

/** A user whose authentication has one step with hello and one after it. */
const scriptUser = () => {
  const begun: string[] = [];
  const finished: unknown[] = [];
  const authenticator: Authenticator = {
    mechanism: 'two steps',
    begin: at => {
      begun.push(at);
      return {
        first: { saslStart: 1 },
        user: 'admin.ada',
        finish: async (connection, answer, deadline) => {
          finished.push([answer, deadline]);
          await connection.command('admin', { saslContinue: 1 }, deadline);
        },
      };
    },
  };
  return { begun, finished, authenticator };
};

/** Sends a command and returns what its message received. */
const hear = async (
  { clock }: Pick<ConnectBench, 'clock'>,
  open: Open,
  command?: Document,
  how?: Partial<ConnectOptions>,
): Promise<readonly unknown[]> => {
  const note = noteOf(command);
  (await open(how)).start(note, Infinity);
  await clock.sleep(10);
  return note.heard;
};

/** Rule: MongoDB Handshake; Authentication; OP_COMPRESSED. */
export const opening = (one: ConnectCase): readonly ContractCase[] => [
  one(
    'MongoDB Handshake "Connection handshake": legacy hello with the client metadata is the first command, and the connection has its reply',
    async ({ create, server }) => {
      const connection = await create({ appName: 'shop' })({ id: 7 });
      expectEqual(server.asked.length, 1, 'the number of commands');
      const { command, flags, compressor } = server.asked[0]!;
      const { helloOk, $db, client, apiVersion, loadBalanced } = command;
      expectEqual(Object.keys(command)[0]?.toLowerCase(), 'ismaster', 'the name of the command');
      const said = [helloOk, $db, flags, compressor, apiVersion, loadBalanced];
      expectEqual(said, [true, 'admin', 0, undefined, undefined, undefined], 'how hello was sent');
      const { application, driver, os } = client as Document;
      const metadata = [application, driver, (os as Document)['type']];
      expectEqual(metadata, [{ name: 'shop' }, { name: 'suite', version: '1' }, 'Simulated'], 'the client metadata');
      expectEqual([connection.id, connection.address, connection.closed], [7, address, false], 'the connection');
      const hello = {
        ...{ document: server.hello, serviceId: undefined, connectionId: 77n, maxWireVersion: 25, roundTrip: 2 },
        ...{ logicalSessionTimeoutMinutes: 30, maxWriteBatchSize: 100_000 },
        ...{ maxBsonObjectSize: 16_777_216, maxMessageSizeBytes: 48_000_000 },
      };
      expectEqual(connection.hello, hello, 'the hello of the connection');
    },
  ),
  one(
    'MongoDB Handshake "Supporting Wrapping Libraries": new connections also send entries that are appended to driverInfo later',
    async ({ create, server }) => {
      const driverInfo = [{ name: 'inner' }];
      const open = create({ driverInfo });
      await open();
      driverInfo.push({ name: 'outer' });
      await open();
      const names = server.asked.map(
        ({ command }): unknown => ((command['client'] as Document)['driver'] as Document)['name'],
      );
      expectEqual(names, ['suite|inner', 'suite|inner|outer'], 'the names of the driver');
    },
  ),
  one('MongoDB Handshake "Client Metadata": an appName over 128 bytes fails as usage', ({ create }) => {
    create({ appName: 'x'.repeat(128) });
    expectThrow(() => create({ appName: 'ö'.repeat(65) }), { kind: 'usage' }, 'an appName of 130 bytes');
    return Promise.resolve();
  }),
  one('Stable API: every command has the declared version, and hello has its new name', async bench => {
    const { create, server } = bench;
    await hear(bench, create({ serverApi: { version: '1', strict: true } }));
    const declared = server.asked.map(({ command }): unknown => [command['apiVersion'], command['apiStrict']]);
    expectEqual(server.names, ['hello', 'ping'], 'the commands');
    expectEqual(declared, Array(2).fill(['1', true]), 'the versions that they declare');
  }),
  one(
    'Load Balancers: hello has loadBalanced, and a server without serviceId fails as usage',
    async ({ create, server, bson }) => {
      const open = create({ loadBalanced: true });
      await expectRejection(open(), { kind: 'usage' }, 'a server without a service');
      const serviceId = new bson.values.ObjectId('0123456789abcdef01234567');
      server.hello = { ...server.hello, serviceId };
      expectEqual((await open()).hello.serviceId, serviceId, 'the service of the connection');
      expectEqual(
        server.asked.map(({ command }): unknown => command['loadBalanced']),
        [true, true],
        'loadBalanced',
      );
    },
  ),
  one(
    'Connect: passes deadline, TLS and proxy to the transport, one TLS object for all, and the errors of the transport to the caller',
    async ({ create }) => {
      const seen: (readonly unknown[])[] = [];
      const refused = new MongoError('network', 'refused', {
        origin: { phase: 'connect', sent: false, address },
      });
      const open = create(
        { tls: true, tlsCAFile: '/ca.pem', tlsInsecure: true, proxyHost: 'proxy' },
        {
          transport: {
            connect: (to, { deadline, tls, proxy }) => {
              seen.push([to, deadline, tls?.caFile, tls?.allowInvalidCertificates, proxy?.host, proxy?.port, tls]);
              return Promise.reject(refused);
            },
          },
        },
      );
      for (const deadline of [100, 200]) {
        const failing = open({ deadline });
        const error = await expectRejection(failing, { kind: 'network', phase: 'connect' }, 'a refused connect');
        expectTrue(error === refused, 'the error of the transport itself');
      }
      const settings = ['/ca.pem', true, 'proxy', 1080];
      expectEqual(
        seen.map(all => all.slice(0, -1)),
        [
          [address, 100, ...settings],
          [address, 200, ...settings],
        ],
        'what the transport got',
      );
      expectTrue(seen[0]?.at(-1) === seen[1]?.at(-1), 'one TLS object for all connections');
    },
  ),
  one(
    'Connect: a failed hello closes the socket and throws the reason, with phase hello and the address',
    async ({ create, server, clock }) => {
      const open = create();
      const fails = async (kind: string, what: string, how: Partial<ConnectOptions> = {}): Promise<MongoError> => {
        const error = await expectRejection(open(how), { kind, phase: 'hello' }, what);
        expectEqual(error.origin?.address, address, `the address: ${what}`);
        await clock.sleep(2);
        expectEqual(server.open, 0, `open connections: ${what}`);
        return error;
      };
      server.greet = asked => asked.reply({ ok: 0, code: 18, errmsg: 'no' });
      const { code } = await fails('server', 'a server that refuses');
      expectEqual(code, 18, 'the code of the server');
      server.greet = asked => asked.hangUp();
      await fails('network', 'a server that closes the connection');
      server.greet = asked => asked.send(Uint8Array.from('HTTP/1.1 400 Bad Request\r\n\r\n', c => c.charCodeAt(0)));
      await fails('protocol', 'a server that speaks HTTP');
      server.greet = () => undefined;
      const from = clock.now();
      await fails('timeout', 'a server that is silent', { deadline: from + 50 });
      expectEqual(clock.now() - from, 52, 'the time until the deadline, and the wait after it');
    },
  ),
  one(
    'Connect: an aborted signal fails it as aborted with the reason as cause; no listener is left on the signal',
    async ({ create, server, clock }) => {
      const hand = createAbort();
      const open = create();
      const connection = await open({ signal: hand.signal });
      expectEqual(hand.listeners, 0, 'listeners of a connection that is open');
      server.greet = () => undefined;
      const failing = open({ signal: hand.signal });
      await clock.sleep(3);
      const reason = new Error('enough');
      hand.abort(reason);
      for (const each of [failing, open({ signal: hand.signal })]) {
        const error = await expectRejection(each, { kind: 'aborted' }, 'an aborted connect');
        expectTrue(error.cause === reason, 'the cause is the reason of the signal');
      }
      await clock.sleep(2);
      expectEqual([hand.listeners, server.open, connection.closed], [0, 1, false], 'listeners, open, closed');
    },
  ),
  one(
    'Authentication "Authentication Handshake": the conversation begins with hello, ends before the connection is returned, and has its deadline',
    async ({ create, server }) => {
      const { authenticator, begun, finished } = scriptUser();
      server.hello = { ...server.hello, speculativeAuthenticate: { step: 1 } };
      await create({}, { authenticator })({ deadline: 5000 });
      const { saslSupportedMechs, speculativeAuthenticate } = server.asked[0]!.command;
      expectEqual([saslSupportedMechs, speculativeAuthenticate], ['admin.ada', { saslStart: 1 }], 'sent with hello');
      expectEqual([begun, finished], [[address], [[{ step: 1 }, 5000]]], 'begun, finished');
      expectEqual(server.names.slice(1), ['saslContinue'], 'commands after hello');
    },
  ),
  one(
    'Authentication: a failed authentication fails the connect with phase auth and closes the socket; commandLimit limits its commands',
    async ({ create, server, clock }) => {
      const open = create({}, { authenticator: scriptUser().authenticator });
      server.serve = asked => asked.reply({ ok: 0, code: 18, errmsg: 'no' });
      const error = await expectRejection(open(), { kind: 'server', phase: 'auth' }, 'a user who is refused');
      expectEqual(error.code, 18, 'the code of the server');
      server.serve = () => undefined;
      const from = clock.now();
      await expectRejection(open({ commandLimit: 50 }), { kind: 'timeout', phase: 'auth' }, 'a server that is silent');
      expectEqual(clock.now() - from, 54, 'the time for the socket, hello and one command');
      await clock.sleep(2);
      expectEqual(server.open, 0, 'open connections');
    },
  ),
  one('Authentication: connections of monitors and to arbiters do not authenticate', async ({ create, server }) => {
    const { authenticator, finished } = scriptUser();
    const open = create({}, { authenticator });
    await open({ use: 'monitor' });
    const { saslSupportedMechs, speculativeAuthenticate } = server.asked[0]!.command;
    expectEqual([saslSupportedMechs, speculativeAuthenticate], [undefined, undefined], 'sent with hello by a monitor');
    server.hello = { ...server.hello, arbiterOnly: true };
    await open();
    expectEqual(finished, [], 'authentications');
  }),
  one(
    'Authentication "Reauthentication": code 391 authenticates again and repeats the command, whose message receives only the second reply',
    async bench => {
      const { create, server } = bench;
      const { authenticator, finished } = scriptUser();
      let isExpired = true;
      server.serve = asked => {
        const refuses = 'ping' in asked.command && isExpired;
        if (refuses) isExpired = false;
        asked.reply(refuses ? { ok: 0, code: 391, errmsg: 'expired' } : { ok: 1 });
      };
      expectEqual(await hear(bench, create({}, { authenticator })), [{ ok: 1 }, 'end'], 'heard');
      expectEqual(server.names.slice(1), ['saslContinue', 'ping', 'saslContinue', 'ping'], 'commands after hello');
      expectEqual(finished.length, 2, 'authentications');
    },
  ),
  one(
    'OP_COMPRESSED: the first configured compressor that the server supports compresses all commands except hello and those with secrets',
    async bench => {
      const { create, server } = bench;
      const open = create({ compressors: ['later', 'nonsense', 'at once'] });
      server.hello = { ...server.hello, compression: ['at once', 'later'] };
      for (const name of ['ping', 'saslStart', 'createUser', 'hello'])
        expectEqual(await hear(bench, open, { [name]: 1 }), [name === 'hello' ? server.hello : { ok: 1 }, 'end'], name);
      server.hello = { ...server.hello, compression: ['at once'] };
      await hear(bench, open);
      server.hello = { ...server.hello, compression: [] };
      await hear(bench, open);
      expectEqual(server.asked[0]?.command['compression'], ['later', 'at once'], 'the compressors that are offered');
      const compressors = server.asked.map(({ compressor }) => compressor);
      const [none] = [undefined];
      expectEqual(compressors, [none, 101, none, none, none, none, none, none, none, 100, none, none], 'compressors');
    },
  ),
  one('OP_COMPRESSED: monitors do not compress', async bench => {
    const { create, server } = bench;
    server.hello = { ...server.hello, compression: ['at once'] };
    await hear(bench, create({ compressors: ['at once'] }), undefined, { use: 'monitor' });
    expectEqual(server.asked.at(-1)?.compressor, undefined, 'the compressor of the last command');
  }),
];

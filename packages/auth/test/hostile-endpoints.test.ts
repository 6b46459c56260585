import { inspect } from 'node:util';
import { bson } from '@tessera/bson';
import type { Document, MongoError, Socket } from '@tessera/contracts';
import { createNode } from '@tessera/node';
import type { World } from '@tessera/sim';
import { createWorld } from '@tessera/sim';
import { describe, expect, test } from 'vitest';
import { createAws, createOidc, credentialOf } from '@tessera/auth';
import { ok, startMetadataService } from './metadata-service.js';
import type { HttpPlay } from './metadata-service.js';
import { ADDRESS, failure, scripted } from './scripted.js';

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));
const text = (socket: Socket, said: string): boolean => socket.write(Buffer.from(said, 'latin1'));

interface Seen {
  readonly error: MongoError;
  readonly took: number;
  readonly asked: readonly string[];
}

/**
 * Runs a mechanism against a service that behaves like this, and checks that no socket stays open and no timer runs.
 */
const meet = async (
  address: string,
  play: (world: World) => HttpPlay,
  options: Document,
  within = Infinity,
): Promise<Seen> => {
  const world = createWorld({ turn, crypto: createNode().crypto });
  let seen: Seen | undefined;
  await world.run(async () => {
    const service = await startMetadataService(world, address, play(world));
    const { clock } = world.runtime;
    const credential = credentialOf(options)!;
    const mechanism = credential.mechanism === 'MONGODB-AWS' ? createAws : createOidc;
    const authenticator = mechanism({ ...world.runtime, bson }, credential);
    const began = clock.now();
    const { connection, asked } = scripted([]);
    const error = await failure((await authenticator.begin(ADDRESS)).finish(connection, undefined, began + within));
    seen = { error, took: clock.now() - began, asked: service.asked };
    expect(asked).toEqual([]);
    await clock.sleep(60_000);
    expect(service.open).toBe(0);
    await service.close();
  });
  expect(world.leftovers()).toEqual([]);
  expect(inspect(seen!.error, { depth: 9 })).not.toContain('hunter2');
  return seen!;
};

const GCP = { authMechanism: 'MONGODB-OIDC', authMechanismProperties: { ENVIRONMENT: 'gcp', TOKEN_RESOURCE: 'x' } };
const PATH = '/computeMetadata/v1/instance/service-accounts/default/identity?audience=x';
const inGcp = (play: (world: World) => HttpPlay, within?: number): Promise<Seen> =>
  meet('metadata:80', play, GCP, within);

/** Sends a text repeatedly at this interval in milliseconds, until the socket is closed. */
const again =
  (said: string, every: number, first = '') =>
  (world: World): HttpPlay =>
  (_, socket) => {
    const { clock } = world.runtime;
    text(socket, first);
    const goOn = (left: number): void => {
      if (left === 0) return;
      clock.startTimer(every, () => {
        text(socket, said);
        goOn(left - 1);
      });
    };
    goOn(every === 1 ? 1000 : 50);
  };

const HEAD = 'HTTP/1.1 200 OK\r\n';
const endless = `metadata:80 sent too long a response to GET ${PATH}.`;
const late = `metadata:80 did not answer GET ${PATH} in time.`;
const noHttp = `metadata:80 sent an invalid HTTP response to GET ${PATH}.`;

describe('any invalid response of a local service causes one error and closes its socket', () => {
  test.each<readonly [string, (world: World) => HttpPlay, string]>([
    ['says nothing', () => () => undefined, late],
    ['says one letter a second, for ever', again('x', 1000, `${HEAD}\r\n`), late],
    ['promises more than it sends', () => () => `${HEAD}Content-Length: 1152921504606846976\r\n\r\nhunter2`, late],
    ['promises a chunk of 4 GB', () => () => `${HEAD}Transfer-Encoding: chunked\r\n\r\nffffffff\r\nhunter2`, late],
    ['sends a body without end', again('x'.repeat(4096), 1, `${HEAD}\r\n`), endless],
    ['sends a header without end', again(`X-More: ${'x'.repeat(4000)}\r\n`, 1, HEAD), endless],
    [
      'sends chunks without end',
      again(`1000\r\n${'x'.repeat(4096)}\r\n`, 1, `${HEAD}Transfer-Encoding: chunked\r\n\r\n`),
      endless,
    ],
    ['hangs up', () => (_, socket) => socket.destroy(), noHttp],
    [
      'hangs up in the middle',
      () => (_, socket) => {
        text(socket, `${HEAD}Content-Length: 100\r\n\r\nhunter2`);
        socket.end();
      },
      noHttp,
    ],
    [
      'speaks something else',
      () => (_, socket) => {
        text(socket, 'SSH-2.0-OpenSSH_9.2\r\n\r\n\r\n');
        socket.end();
      },
      noHttp,
    ],
  ])('rejects a service that %s', async (_, play, message) => {
    const { error, took, asked } = await inGcp(play);
    expect([error.message, asked]).toEqual([message, [`GET ${PATH}`]]);
    expect(took).toBeLessThan(10_050);
  });

  test('does not follow a redirect', async () => {
    const { error, asked } = await inGcp(
      () => () => 'HTTP/1.1 302 Found\r\nLocation: http://evil.example/\r\nContent-Length: 0\r\n\r\n',
    );
    expect([error.message, asked]).toEqual(['No token from gcp: it answered with status 302: .', [`GET ${PATH}`]]);
  });

  test('limits a silent service to the time of the handshake', async () => {
    const { error, took } = await inGcp(() => () => undefined, 3000);
    expect([error.kind, error.message, took]).toEqual([
      'timeout',
      'The OIDC callback did not return within 3000 ms.',
      3000,
    ]);
  });
});

describe('AWS credentials are awaited at most until the deadline of the handshake', () => {
  const AWS = { authMechanism: 'MONGODB-AWS' };

  test('from a service: 10 seconds per response, and no more than the remaining time', async () => {
    const silent = await meet('169.254.169.254:80', () => () => undefined, AWS);
    expect([silent.error.message, silent.took]).toEqual([
      '169.254.169.254:80 did not answer PUT /latest/api/token in time.',
      10_000,
    ]);
    const slow = (world: World): HttpPlay => {
      const { clock } = world.runtime;
      return (request, socket) => {
        clock.startTimer(4000, () => {
          text(socket, request.startsWith('PUT') ? ok('imds') : ok('role'));
        });
      };
    };
    const { error, took } = await meet('169.254.169.254:80', slow, AWS, 6000);
    expect([error.kind, took]).toEqual(['timeout', 6000]);
  });

  test('from a provider of the application that never returns', async () => {
    const authMechanismProperties = { AWS_CREDENTIAL_PROVIDER: () => new Promise(() => undefined) };
    const { error, took } = await meet('unused:80', () => () => undefined, { ...AWS, authMechanismProperties }, 3000);
    expect([error.kind, error.message, took]).toEqual([
      'timeout',
      'No AWS credentials: AWS_CREDENTIAL_PROVIDER did not return within 3000 ms.',
      3000,
    ]);
  });

  test('rejects invalid credentials without revealing them', async () => {
    const garbage: readonly (readonly [string, string])[] = [
      ['hunter2', 'the response of 169.254.169.254:80 is not JSON'],
      ['[]', '169.254.169.254:80 returned no access key with its secret'],
      ['{"AccessKeyId":5,"SecretAccessKey":"hunter2"}', '169.254.169.254:80 returned no access key with its secret'],
      ['{"AccessKeyId":"A","SecretAccessKey":""}', '169.254.169.254:80 returned no access key with its secret'],
      [
        '{"AccessKeyId":"A","SecretAccessKey":"hunter2","Token":{}}',
        '169.254.169.254:80 returned no access key with its secret',
      ],
    ];
    for (const [body, message] of garbage) {
      const { error } = await meet('169.254.169.254:80', () => () => ok(body), AWS);
      expect(error.message).toBe(`No AWS credentials: ${message}.`);
    }
  });
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { serialize } from 'bson';
import { MongoError } from '@tessera/contracts';
import type { Document, DriverInfo, Host, Platform } from '@tessera/contracts';
import { checkDriverInfo, functionService } from '@tessera/connection';
import type { ConnectionOptions } from '@tessera/connection';
import { readFileSync } from 'node:fs';
import { createStage, HELLO, host, platform } from './stage.js';

type PlatformAndHost = Platform & Host;
const plain: PlatformAndHost = { ...platform, ...host };

const withEnvironment = (
  variables: Readonly<Record<string, string>>,
  more: Partial<Platform> = {},
): PlatformAndHost => ({
  ...platform,
  ...more,
  environment: name => variables[name],
});

const clientOf = async (on: PlatformAndHost = plain, options: Partial<ConnectionOptions> = {}): Promise<Document> => {
  const { peer } = await createStage({ platform: on, host: on, options }).dial();
  return peer.last.command['client'] as Document;
};

const OS = { type: 'Linux', name: 'linux', architecture: 'x64', version: '6.1' };
const BASE = { driver: { name: 'tessera', version: '0.0.0' }, os: OS, platform: 'Node.js v20.20.2, LE' };

test('sends the version of the package to servers', async () => {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  expect((await clientOf())['driver']).toEqual({ name: 'tessera', version });
});

describe('MongoDB Handshake "client.env"', () => {
  const lambda = {
    AWS_EXECUTION_ENV: 'AWS_Lambda_java8',
    AWS_REGION: 'us-east-2',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '1024',
  };
  const onLambda = { name: 'aws.lambda', region: 'us-east-2', memory_mb: 1024 };
  test.each<[string, Readonly<Record<string, string>>, Document | undefined]>([
    ['nothing', {}, undefined],
    ['MongoDB Handshake, prose test 1.1: reports AWS Lambda with its region and memory', lambda, onLambda],
    ['recognizes AWS Lambda by its runtime API', { AWS_LAMBDA_RUNTIME_API: 'x' }, { name: 'aws.lambda' }],
    [
      'MongoDB Handshake, prose test 1.2: reports Azure Functions',
      { FUNCTIONS_WORKER_RUNTIME: 'node' },
      { name: 'azure.func' },
    ],
    [
      'MongoDB Handshake, prose test 1.3: reports Google Cloud Functions with all its fields',
      {
        K_SERVICE: 'servicename',
        FUNCTION_MEMORY_MB: '1024',
        FUNCTION_TIMEOUT_SEC: '60',
        FUNCTION_REGION: 'us-central1',
      },
      { name: 'gcp.func', memory_mb: 1024, timeout_sec: 60, region: 'us-central1' },
    ],
    [
      'MongoDB Handshake, prose test 1.4: reports Vercel with its region',
      { VERCEL: '1', VERCEL_REGION: 'cdg1' },
      { name: 'vercel', region: 'cdg1' },
    ],
    ['prefers Vercel over AWS', { ...lambda, VERCEL: '1' }, { name: 'vercel' }],
    [
      'MongoDB Handshake, prose test 1.5: reports no function service when the environment names several',
      { ...lambda, FUNCTIONS_WORKER_RUNTIME: 'node' },
      undefined,
    ],
    ['reports nothing for Vercel together with a service other than AWS', { VERCEL: '1', K_SERVICE: 'x' }, undefined],
    [
      'MongoDB Handshake, prose test 1.6: leaves out a value that is too long and keeps the name',
      { AWS_EXECUTION_ENV: 'AWS_Lambda_java8', AWS_REGION: 'a'.repeat(512) },
      { name: 'aws.lambda' },
    ],
    [
      'MongoDB Handshake, prose test 1.7: leaves out a value that is not a number',
      { AWS_EXECUTION_ENV: 'AWS_Lambda_java8', AWS_LAMBDA_FUNCTION_MEMORY_SIZE: 'big' },
      { name: 'aws.lambda' },
    ],
    ...['-5', '1.5', '1e3', '5 ', '', '12345678901'].map(
      (size): [string, Readonly<Record<string, string>>, Document] => [
        `leaves out a memory size of ${JSON.stringify(size)}, which is not a decimal number`,
        { AWS_EXECUTION_ENV: 'AWS_Lambda_java8', AWS_LAMBDA_FUNCTION_MEMORY_SIZE: size },
        { name: 'aws.lambda' },
      ],
    ),
    [
      'accepts the largest int32',
      { AWS_EXECUTION_ENV: 'AWS_Lambda_java8', AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '2147483647' },
      { name: 'aws.lambda', memory_mb: 2_147_483_647 },
    ],
    [
      'leaves out a number beyond int32',
      { AWS_EXECUTION_ENV: 'AWS_Lambda_java8', AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '2147483648' },
      { name: 'aws.lambda' },
    ],
    [
      'MongoDB Handshake, prose test 1.8: does not report AWS outside of Lambda',
      { AWS_EXECUTION_ENV: 'EC2' },
      undefined,
    ],
    ['ignores an empty variable', { FUNCTIONS_WORKER_RUNTIME: '' }, undefined],
    [
      'MongoDB Handshake, prose test 1.9: reports a container together with the function service',
      { ...lambda, KUBERNETES_SERVICE_HOST: '1' },
      { ...onLambda, container: { orchestrator: 'kubernetes' } },
    ],
  ])('%s', async (_, variables, env) => {
    const { env: told, ...rest } = await clientOf(withEnvironment(variables));
    expect(told).toEqual(env);
    expect(rest).toEqual(BASE);
  });

  test('reports a container', async () => {
    expect((await clientOf(withEnvironment({}, { container: 'docker' })))['env']).toEqual({
      container: { runtime: 'docker' },
    });
  });

  test('functionService returns the name of the function service', () => {
    expect(functionService(withEnvironment(lambda))).toBe('aws.lambda');
    expect(functionService(host)).toBeUndefined();
  });
});

describe('MongoDB Handshake "client.application.name"', () => {
  test('sends appName if it is set', async () => {
    expect(await clientOf(plain, { appName: 'shop' })).toEqual({ application: { name: 'shop' }, ...BASE });
  });

  test('accepts 128 bytes of UTF-8 and rejects 129 when the client is created', async () => {
    const fits = 'ü'.repeat(64);
    expect((await clientOf(plain, { appName: fits }))['application']).toEqual({ name: fits });
    expect(() => createStage({ options: { appName: `${fits}a` } })).toThrow(
      "'appName' has 129 bytes in UTF-8. Servers accept at most 128.",
    );
  });
});

describe('MongoDB Handshake "Appending metadata"', () => {
  const library: DriverInfo = { name: 'library', version: '1.2', platform: 'Library Platform' };
  const metadataFor = async (driverInfo: readonly DriverInfo[]): Promise<readonly string[]> => {
    const client = await clientOf(plain, { driverInfo });
    const driver = client['driver'] as { name: string; version: string };
    return [driver.name, driver.version, client['platform'] as string];
  };
  const runtime = BASE.platform;

  test.each<[string, readonly DriverInfo[], readonly string[]]>([
    ['one library', [library], ['tessera|library', '0.0.0|1.2', `${runtime}|Library Platform`]],
    [
      'two',
      [library, { name: 'framework', version: '2.0', platform: 'Framework Platform' }],
      ['tessera|library|framework', '0.0.0|1.2|2.0', `${runtime}|Library Platform|Framework Platform`],
    ],
    [
      'a library without a platform',
      [library, { name: 'framework', version: '2.0' }],
      ['tessera|library|framework', '0.0.0|1.2|2.0', `${runtime}|Library Platform`],
    ],
    [
      'a library with only a name',
      [library, { name: 'framework' }],
      ['tessera|library|framework', '0.0.0|1.2|', `${runtime}|Library Platform`],
    ],
    [
      'the same library twice',
      [library, { ...library }],
      ['tessera|library', '0.0.0|1.2', `${runtime}|Library Platform`],
    ],
    [
      'two libraries that differ in the version',
      [library, { ...library, version: '2.0' }],
      ['tessera|library|library', '0.0.0|1.2|2.0', `${runtime}|Library Platform|Library Platform`],
    ],
    [
      'empty parts, which equal missing ones',
      [library, { name: 'library', version: '1.2', platform: 'Library Platform' }, { name: 'x', version: '' }],
      ['tessera|library|x', '0.0.0|1.2|', `${runtime}|Library Platform`],
    ],
    ['libraries without any part, which keep a position', [{}, { name: '' }], ['tessera|', '0.0.0|', runtime]],
  ])('%s', async (_, infos, expected) => {
    expect(await metadataFor(infos)).toEqual(expected);
  });

  test('sends a library that is appended later on new connections', async () => {
    const driverInfo: DriverInfo[] = [library];
    const stage = createStage({ options: { driverInfo } });
    const name = (peer: { last: { command: Document } }): string =>
      ((peer.last.command['client'] as Document)['driver'] as { name: string }).name;
    const first = await stage.dial();
    first.peer.reply(HELLO);
    driverInfo.push({ name: 'framework' });
    const second = await stage.dial();
    expect([name(first.peer), name(second.peer)]).toEqual(['tessera|library', 'tessera|library|framework']);
  });

  test('rejects the delimiter in every part', () => {
    for (const part of ['name', 'version', 'platform'] as const) {
      expect(() => {
        checkDriverInfo({ [part]: 'a|b' });
      }).toThrow(`'driverInfo.${part}' is 'a|b', but must not contain '|', which separates names. Remove it.`);
    }
    expect(() => createStage({ options: { driverInfo: [{ name: 'a|b' }] } })).toThrow('driverInfo.name');
  });

  test.each<readonly [info: unknown, message: string]>([
    [undefined, "'driverInfo' must be an object of name, version and platform, but is undefined."],
    [null, "'driverInfo' must be an object of name, version and platform, but is null."],
    ['library', "'driverInfo' must be an object of name, version and platform, but is of type string."],
    [{ name: 5 }, "'driverInfo.name' must be a string, but is of type number."],
    [{ name: 'library', version: ['1'] }, "'driverInfo.version' must be a string, but is of type object."],
    [{ platform: Symbol('x') }, "'driverInfo.platform' must be a string, but is of type symbol."],
  ])('rejects %o', (info, message) => {
    expect(() => {
      checkDriverInfo(info as DriverInfo);
    }).toThrow(new MongoError('usage', message));
  });

  test('omits parts that are null', () => {
    expect(() => {
      checkDriverInfo({ name: 'library', version: null, platform: undefined } as never);
    }).not.toThrow();
  });
});

describe('MongoDB Handshake "Limitations": at most 512 bytes, removing the least important fields first', () => {
  const lambda = { AWS_EXECUTION_ENV: 'AWS_Lambda_java8', AWS_REGION: 'us-east-2' };
  const long = (length: number): PlatformAndHost => withEnvironment(lambda, { runtime: 'p'.repeat(length) });

  test('removes, in this order: env except its name, os except its type, env, the end of platform', async () => {
    // For each step, the longest platform that fits (309, 331, 386 or 417 bytes), and a platform that is a byte longer.
    const metadataFor = async (length: number): Promise<readonly unknown[]> => {
      const client = await clientOf(long(length));
      const { os, env, platform: text } = client as { os: Document; env?: Document; platform: string };
      return [env, Object.keys(os), text.length, serialize(client).length];
    };
    const full = { name: 'aws.lambda', region: 'us-east-2' };
    const all = ['type', 'name', 'architecture', 'version'];
    expect(await metadataFor(309)).toEqual([full, all, 309, 512]);
    expect(await metadataFor(310)).toEqual([{ name: 'aws.lambda' }, all, 310, 491]);
    expect(await metadataFor(331)).toEqual([{ name: 'aws.lambda' }, all, 331, 512]);
    expect(await metadataFor(332)).toEqual([{ name: 'aws.lambda' }, ['type'], 332, 458]);
    expect(await metadataFor(386)).toEqual([{ name: 'aws.lambda' }, ['type'], 386, 512]);
    expect(await metadataFor(387)).toEqual([undefined, ['type'], 387, 482]);
    expect(await metadataFor(417)).toEqual([undefined, ['type'], 417, 512]);
    expect(await metadataFor(418)).toEqual([undefined, ['type'], 417, 512]);
  });

  test('fits with any content, and always contains driver and os.type', async () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 300 }).map(t => t.replaceAll('|', '/').replaceAll('\0', ' '));
    await fc.assert(
      fc.asyncProperty(
        fc.record({ name: text, version: text, platform: text }),
        fc.record({ AWS_EXECUTION_ENV: fc.constant('AWS_Lambda_x'), AWS_REGION: text }),
        text,
        fc.string({ maxLength: 40 }).map(t => t.replaceAll('\0', ' ')),
        async (info, variables, runtime, appName) => {
          const client = await clientOf(withEnvironment(variables, { runtime }), { driverInfo: [info], appName });
          expect(serialize(client).length).toBeLessThanOrEqual(512);
          expect((client['os'] as Document)['type']).toBe('Linux');
          expect(((client['driver'] as Document)['name'] as string).startsWith('tessera')).toBe(true);
          if (appName !== '') expect(client['application']).toEqual({ name: appName });
        },
      ),
      { numRuns: 60 },
    );
  });
});

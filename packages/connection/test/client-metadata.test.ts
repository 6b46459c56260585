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

test("the version that servers are told is the package's", async () => {
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
    ['MongoDB Handshake, prose test 1.1: Lambda is told with its region and its memory', lambda, onLambda],
    ['AWS by its runtime API', { AWS_LAMBDA_RUNTIME_API: 'x' }, { name: 'aws.lambda' }],
    [
      'MongoDB Handshake, prose test 1.2: a function of Azure is told',
      { FUNCTIONS_WORKER_RUNTIME: 'node' },
      { name: 'azure.func' },
    ],
    [
      'MongoDB Handshake, prose test 1.3: a function of Google Cloud is told with all that is known',
      {
        K_SERVICE: 'servicename',
        FUNCTION_MEMORY_MB: '1024',
        FUNCTION_TIMEOUT_SEC: '60',
        FUNCTION_REGION: 'us-central1',
      },
      { name: 'gcp.func', memory_mb: 1024, timeout_sec: 60, region: 'us-central1' },
    ],
    [
      'MongoDB Handshake, prose test 1.4: a function of Vercel is told with its region',
      { VERCEL: '1', VERCEL_REGION: 'cdg1' },
      { name: 'vercel', region: 'cdg1' },
    ],
    ['Vercel goes before AWS', { ...lambda, VERCEL: '1' }, { name: 'vercel' }],
    [
      'MongoDB Handshake, prose test 1.5: of several providers none is told',
      { ...lambda, FUNCTIONS_WORKER_RUNTIME: 'node' },
      undefined,
    ],
    ['Vercel and another than AWS', { VERCEL: '1', K_SERVICE: 'x' }, undefined],
    [
      'MongoDB Handshake, prose test 1.6: what does not fit is left out, the name is told',
      { AWS_EXECUTION_ENV: 'AWS_Lambda_java8', AWS_REGION: 'a'.repeat(512) },
      { name: 'aws.lambda' },
    ],
    [
      'MongoDB Handshake, prose test 1.7: what is no number is left out',
      { AWS_EXECUTION_ENV: 'AWS_Lambda_java8', AWS_LAMBDA_FUNCTION_MEMORY_SIZE: 'big' },
      { name: 'aws.lambda' },
    ],
    ...['-5', '1.5', '1e3', '5 ', '', '12345678901'].map(
      (size): [string, Readonly<Record<string, string>>, Document] => [
        `a memory of ${JSON.stringify(size)}, which is no number of digits`,
        { AWS_EXECUTION_ENV: 'AWS_Lambda_java8', AWS_LAMBDA_FUNCTION_MEMORY_SIZE: size },
        { name: 'aws.lambda' },
      ],
    ),
    [
      'the largest int32',
      { AWS_EXECUTION_ENV: 'AWS_Lambda_java8', AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '2147483647' },
      { name: 'aws.lambda', memory_mb: 2_147_483_647 },
    ],
    [
      'beyond int32',
      { AWS_EXECUTION_ENV: 'AWS_Lambda_java8', AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '2147483648' },
      { name: 'aws.lambda' },
    ],
    [
      'MongoDB Handshake, prose test 1.8: an AWS machine that is no Lambda is not told',
      { AWS_EXECUTION_ENV: 'EC2' },
      undefined,
    ],
    ['an empty variable', { FUNCTIONS_WORKER_RUNTIME: '' }, undefined],
    [
      'MongoDB Handshake, prose test 1.9: a container is told beside the function service',
      { ...lambda, KUBERNETES_SERVICE_HOST: '1' },
      { ...onLambda, container: { orchestrator: 'kubernetes' } },
    ],
  ])('%s', async (_, variables, env) => {
    const { env: told, ...rest } = await clientOf(withEnvironment(variables));
    expect(told).toEqual(env);
    expect(rest).toEqual(BASE);
  });

  test('a container is told', async () => {
    expect((await clientOf(withEnvironment({}, { container: 'docker' })))['env']).toEqual({
      container: { runtime: 'docker' },
    });
  });

  test('the function service is there for others to know', () => {
    expect(functionService(withEnvironment(lambda))).toBe('aws.lambda');
    expect(functionService(host)).toBeUndefined();
  });
});

describe('MongoDB Handshake "client.application.name"', () => {
  test('it is told when it is given', async () => {
    expect(await clientOf(plain, { appName: 'shop' })).toEqual({ application: { name: 'shop' }, ...BASE });
  });

  test('128 bytes of UTF-8 are possible, 129 are refused at once', async () => {
    const fits = 'ü'.repeat(64);
    expect((await clientOf(plain, { appName: fits }))['application']).toEqual({ name: fits });
    expect(() => createStage({ options: { appName: `${fits}a` } })).toThrow(
      'appName has 129 bytes in UTF-8; servers take 128 at most',
    );
  });
});

describe('MongoDB Handshake "Appending metadata"', () => {
  const library: DriverInfo = { name: 'library', version: '1.2', platform: 'Library Platform' };
  const told = async (driverInfo: readonly DriverInfo[]): Promise<readonly string[]> => {
    const client = await clientOf(plain, { driverInfo });
    const driver = client['driver'] as { name: string; version: string };
    return [driver.name, driver.version, client['platform'] as string];
  };
  const runtime = BASE.platform;

  test.each<[string, readonly DriverInfo[], readonly string[]]>([
    ['one', [library], ['tessera|library', '0.0.0|1.2', `${runtime}|Library Platform`]],
    [
      'two',
      [library, { name: 'framework', version: '2.0', platform: 'Framework Platform' }],
      ['tessera|library|framework', '0.0.0|1.2|2.0', `${runtime}|Library Platform|Framework Platform`],
    ],
    [
      'without platform',
      [library, { name: 'framework', version: '2.0' }],
      ['tessera|library|framework', '0.0.0|1.2|2.0', `${runtime}|Library Platform`],
    ],
    [
      'only a name',
      [library, { name: 'framework' }],
      ['tessera|library|framework', '0.0.0|1.2|', `${runtime}|Library Platform`],
    ],
    ['the same again', [library, { ...library }], ['tessera|library', '0.0.0|1.2', `${runtime}|Library Platform`]],
    [
      'partly the same',
      [library, { ...library, version: '2.0' }],
      ['tessera|library|library', '0.0.0|1.2|2.0', `${runtime}|Library Platform|Library Platform`],
    ],
    [
      'an empty text is none',
      [library, { name: 'library', version: '1.2', platform: 'Library Platform' }, { name: 'x', version: '' }],
      ['tessera|library|x', '0.0.0|1.2|', `${runtime}|Library Platform`],
    ],
    ['nothing at all has a place, too', [{}, { name: '' }], ['tessera|', '0.0.0|', runtime]],
  ])('%s', async (_, infos, expected) => {
    expect(await told(infos)).toEqual(expected);
  });

  test('what is appended later is told to connections made later', async () => {
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

  test('the delimiter is refused in every part', () => {
    for (const part of ['name', 'version', 'platform'] as const) {
      expect(() => {
        checkDriverInfo({ [part]: 'a|b' });
      }).toThrow(`driverInfo.${part} 'a|b' contains '|'`);
    }
    expect(() => createStage({ options: { driverInfo: [{ name: 'a|b' }] } })).toThrow('driverInfo.name');
  });

  test.each<readonly [info: unknown, message: string]>([
    [undefined, 'driverInfo must be an object of name, version and platform, but is undefined'],
    [null, 'driverInfo must be an object of name, version and platform, but is null'],
    ['library', 'driverInfo must be an object of name, version and platform, but is of type string'],
    [{ name: 5 }, 'driverInfo.name must be a string, but is of type number'],
    [{ name: 'library', version: ['1'] }, 'driverInfo.version must be a string, but is of type object'],
    [{ platform: Symbol('x') }, 'driverInfo.platform must be a string, but is of type symbol'],
  ])('%o is rejected', (info, message) => {
    expect(() => {
      checkDriverInfo(info as DriverInfo);
    }).toThrow(new MongoError('usage', message));
  });

  test('parts that are null are not given', () => {
    expect(() => {
      checkDriverInfo({ name: 'library', version: null, platform: undefined } as never);
    }).not.toThrow();
  });
});

describe('MongoDB Handshake "Limitations": 512 bytes, what matters least left out first', () => {
  const lambda = { AWS_EXECUTION_ENV: 'AWS_Lambda_java8', AWS_REGION: 'us-east-2' };
  const long = (length: number): PlatformAndHost => withEnvironment(lambda, { runtime: 'p'.repeat(length) });

  test('in this order: env but its name, os but its type, env, the end of platform', async () => {
    // The longest platform that fits, and one byte more, for each step: 309, 331, 386 and 417 bytes are left for it.
    const told = async (length: number): Promise<readonly unknown[]> => {
      const client = await clientOf(long(length));
      const { os, env, platform: text } = client as { os: Document; env?: Document; platform: string };
      return [env, Object.keys(os), text.length, serialize(client).length];
    };
    const full = { name: 'aws.lambda', region: 'us-east-2' };
    const all = ['type', 'name', 'architecture', 'version'];
    expect(await told(309)).toEqual([full, all, 309, 512]);
    expect(await told(310)).toEqual([{ name: 'aws.lambda' }, all, 310, 491]);
    expect(await told(331)).toEqual([{ name: 'aws.lambda' }, all, 331, 512]);
    expect(await told(332)).toEqual([{ name: 'aws.lambda' }, ['type'], 332, 458]);
    expect(await told(386)).toEqual([{ name: 'aws.lambda' }, ['type'], 386, 512]);
    expect(await told(387)).toEqual([undefined, ['type'], 387, 482]);
    expect(await told(417)).toEqual([undefined, ['type'], 417, 512]);
    expect(await told(418)).toEqual([undefined, ['type'], 417, 512]);
  });

  test('it fits whatever is in it, and driver and os.type are always told', async () => {
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

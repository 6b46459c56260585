/** The TLS and proxy settings that the transport receives. */
import { bson } from '@tessera/bson';
import { createConnect } from '@tessera/connection';
import { createWire } from '@tessera/wire';
import { describe, expect, test } from 'vitest';
import { HandClock, host, platform } from './stage.js';

/** Returns the TLS and proxy settings with which a connection with these options is opened. */
const askedFor = async (options: object): Promise<unknown> => {
  let asked: unknown;
  const connect = createConnect(
    {
      ...{ clock: new HandClock(), wire: createWire({ bson, compressors: [] }), bson, platform, host },
      compressors: [],
      events: { wants: () => false, emit: () => undefined },
      transport: {
        connect: (_, { tls, proxy }) => {
          asked = { tls, proxy };
          return Promise.reject(new Error('no network'));
        },
      },
    },
    options,
  );
  await connect('db:27017', { use: 'operations', id: 1, deadline: Infinity }).catch(() => undefined);
  return asked;
};

const none = {
  ...{ caFile: undefined, certificateKeyFile: undefined, certificateKeyFilePassword: undefined, crlFile: undefined },
  ...{ allowInvalidCertificates: false, allowInvalidHostnames: false, native: {} },
};

describe('URI Options: TLS', () => {
  test('is off unless tls is true', async () => {
    expect(await askedFor({})).toEqual({ tls: undefined, proxy: undefined });
    expect(await askedFor({ tls: false, tlsCAFile: '/ca.pem' })).toEqual({ tls: undefined, proxy: undefined });
  });

  test('passes every option to its setting', async () => {
    const options = {
      ...{ tls: true, tlsCAFile: '/ca.pem', tlsCertificateKeyFile: '/key.pem', tlsCRLFile: '/crl.pem' },
      ...{ tlsCertificateKeyFilePassword: 'secret', tlsAllowInvalidHostnames: true },
    };
    expect(await askedFor(options)).toEqual({
      proxy: undefined,
      tls: {
        ...{ caFile: '/ca.pem', certificateKeyFile: '/key.pem', certificateKeyFilePassword: 'secret' },
        ...{ crlFile: '/crl.pem', allowInvalidCertificates: false, allowInvalidHostnames: true, native: {} },
      },
    });
    expect(await askedFor({ tls: true, tlsAllowInvalidCertificates: true })).toMatchObject({
      ...{ tls: { ...none, allowInvalidCertificates: true } },
    });
  });

  test('tlsInsecure sets both options that allow invalid certificates', async () => {
    expect(await askedFor({ tls: true, tlsInsecure: true })).toMatchObject({
      ...{ tls: { allowInvalidCertificates: true, allowInvalidHostnames: true } },
    });
    expect(await askedFor({ tls: true })).toEqual({ tls: none, proxy: undefined });
  });

  test('passes the options of the host, and no others', async () => {
    const native = {
      ...{ ca: 'a', cert: 'b', key: 'c', pfx: 'd', passphrase: 'e', crl: 'f', servername: 'g' },
      ...{ checkServerIdentity: () => undefined, rejectUnauthorized: false, secureContext: {}, secureProtocol: 'h' },
      ...{ minVersion: 'TLSv1.2', maxVersion: 'TLSv1.3', ciphers: 'i', ecdhCurve: 'j', minDHSize: 1024 },
      ...{ allowPartialTrustChain: true, ALPNProtocols: ['k'], session: new Uint8Array(1) },
    };
    expect(await askedFor({ tls: true, ...native, sessionTimeout: 5 })).toEqual({
      ...{ proxy: undefined, tls: { ...none, native } },
    });
    expect(await askedFor({ tls: true, ca: undefined, ciphers: 'i' })).toStrictEqual({
      ...{ proxy: undefined, tls: { ...none, native: { ciphers: 'i' } } },
    });
  });
});

describe('SOCKS5 Support: the proxy', () => {
  test('uses port 1080 unless another is given', async () => {
    expect(await askedFor({ proxyHost: 'p' })).toEqual({
      ...{ tls: undefined, proxy: { host: 'p', port: 1080, username: undefined, password: undefined } },
    });
  });

  test('uses the given user name and password', async () => {
    expect(await askedFor({ proxyHost: 'p', proxyPort: 5, proxyUsername: 'u', proxyPassword: 'w' })).toEqual({
      ...{ tls: undefined, proxy: { host: 'p', port: 5, username: 'u', password: 'w' } },
    });
  });
});

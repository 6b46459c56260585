import { describe, expect, test } from 'vitest';
import type { MongoError } from '@tessera/contracts';
import { explainTls, prepareTls } from '../src/tls.js';
import { strictTls } from './certificates.js';

const to = 'db1.example:27017';

const explained = (code: string | undefined, more: object = {}): MongoError | undefined =>
  explainTls(to, Object.assign(new Error('the message of Node.js'), code === undefined ? {} : { code }, more));

const untrusted = `The certificate of ${to} is not signed by a trusted authority; pass the authority's certificate as tlsCAFile`;
const notTls = `${to} does not respond with TLS; if it does not use TLS, remove the option tls (for mongodb+srv, set tls=false)`;
const notAccepted = `${to} rejected the certificate in tlsCertificateKeyFile; check that it is signed by an authority that the server trusts`;
const noVersion = `${to} and this client have no TLS version in common`;

describe('an error of a TLS connection', () => {
  test.each<readonly [string, string]>([
    ['DEPTH_ZERO_SELF_SIGNED_CERT', untrusted],
    ['SELF_SIGNED_CERT_IN_CHAIN', untrusted],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', untrusted],
    ['UNABLE_TO_GET_ISSUER_CERT', untrusted],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', untrusted],
    ['CERT_UNTRUSTED', untrusted],
    ['INVALID_CA', untrusted],
    ['CERT_HAS_EXPIRED', `The certificate of ${to}, or of its authority, has expired; renew it on the server`],
    [
      'CERT_NOT_YET_VALID',
      `The certificate of ${to}, or of its authority, is not valid yet; check the clocks of both machines`,
    ],
    ['CERT_REVOKED', `The certificate of ${to} was revoked according to tlsCRLFile`],
    [
      'UNABLE_TO_GET_CRL',
      `Cannot check whether the certificate of ${to} was revoked: tlsCRLFile has no list of its authority`,
    ],
    [
      'CRL_HAS_EXPIRED',
      `Cannot check whether the certificate of ${to} was revoked: the list in tlsCRLFile has expired`,
    ],
    ...['CERT_SIGNATURE_FAILURE', 'CRL_NOT_YET_VALID', 'UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY'].map(
      code => [code, `The certificate of ${to} is invalid`] as const,
    ),
    ['ERROR_IN_CERT_NOT_BEFORE_FIELD', `The certificate of ${to} is invalid`],
    ['HOSTNAME_MISMATCH', `The certificate of ${to} is invalid`],
    ['ERR_SSL_WRONG_VERSION_NUMBER', notTls],
    ['ERR_SSL_PACKET_LENGTH_TOO_LONG', notTls],
    ['ERR_SSL_HTTP_REQUEST', notTls],
    ['ERR_SSL_UNKNOWN_PROTOCOL', notTls],
    ['ERR_SSL_RECORD_LAYER_FAILURE', notTls],
    ['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', `${to} requires a client certificate; set tlsCertificateKeyFile`],
    ['ERR_SSL_TLSV1_ALERT_UNKNOWN_CA', notAccepted],
    ['ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE', notAccepted],
    ['ERR_SSL_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE', notAccepted],
    ['ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED', notAccepted],
    ['ERR_SSL_SSLV3_ALERT_CERTIFICATE_REVOKED', notAccepted],
    ['ERR_SSL_TLSV1_ALERT_ACCESS_DENIED', notAccepted],
    ['ERR_SSL_TLSV1_ALERT_DECRYPT_ERROR', notAccepted],
    [
      'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE',
      `${to} aborted the TLS handshake; it may require a client certificate (tlsCertificateKeyFile) or other ciphers`,
    ],
    ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', noVersion],
    ['ERR_SSL_UNSUPPORTED_PROTOCOL', noVersion],
    ['ERR_SSL_NO_PROTOCOLS_AVAILABLE', noVersion],
    ['ERR_SSL_NO_SHARED_CIPHER', `The TLS handshake with ${to} failed`],
  ])('with the code %s is a protocol error with an explanation', (code, sentence) => {
    const error = explained(code);
    expect(error).toMatchObject({
      kind: 'protocol',
      message: `${sentence} (${code}).`,
      origin: { phase: 'tls', sent: false, address: to },
      cause: { code, message: 'the message of Node.js' },
    });
  });

  test("about the host name contains the certificate's names, or the message of Node.js", () => {
    const code = 'ERR_TLS_CERT_ALTNAME_INVALID';
    const start = `The certificate of ${to} is for another host:`;
    const reason = 'db1.example. is not in the list: DNS:db2.example.';
    expect([explained(code, { reason })?.message, explained(code)?.message]).toEqual([
      `${start} ${reason} Connect with a host name in the certificate (${code}).`,
      `${start} the message of Node.js Connect with a host name in the certificate (${code}).`,
    ]);
  });

  test.each(['ECONNRESET', 'EPIPE', undefined, '', 'XCERT_HAS', 'CERTAIN', 'NOT_ERR_SSL_AT_ALL', 'ERR_CERT_X'])(
    'with the code %s is not a TLS error: the connection was lost',
    code => {
      expect(explained(code)).toBeUndefined();
    },
  );
});

/** A key for this test. The passphrase `w868` is one of the few wrong passphrases that seem to fit. */
const key = `-----BEGIN ENCRYPTED PRIVATE KEY-----
MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAieLbzrbWyb/AICCAAw
DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEMFwKLQBO0BIhN7IdvODwGoEgZCX
CcSYJrbK/qIT8XjyRqmc1f6P/Hq1dXiVkJyp/CSZ7U7mbOpIrT7cwzfwHK0LzVgr
IeJmlfasprSydMmnRAeZH6HjQ8V6rPZsAAYticjNHU/RRwNFgEj+fc4QZqTI1VGq
uKIYHKqzTMjBCofUTLt7hLhlFsEjO7QoMjzvk46q58yTYX9iOmbO8bV86kGde1Y=
-----END ENCRYPTED PRIVATE KEY-----
`;

test.each(['hunter3', 'w868'])(
  'reports the wrong passphrase %s as wrong, also if it seems to fit',
  async passphrase => {
    const settings = strictTls({ native: { key, passphrase } });
    await expect(prepareTls(settings, to, 'db1.example')).rejects.toMatchObject({
      kind: 'usage',
      message: expect.stringMatching(
        /^The TLS options are invalid \(ERR_OSSL_\w+\)\. Check tlsCertificateKeyFilePassword \(or passphrase\)\.$/,
      ) as unknown,
    });
  },
);

import { describe, expect, test } from 'vitest';
import type { MongoError } from '@tessera/contracts';
import { explainTls, prepareTls } from '../src/tls.js';
import { strictTls } from './certificates.js';

const to = 'db1.example:27017';

const explained = (code: string | undefined, more: object = {}): MongoError | undefined =>
  explainTls(to, Object.assign(new Error('the words of Node.js'), code === undefined ? {} : { code }, more));

const untrusted = `The certificate of ${to} is signed by no authority that is trusted here; name the one that signed it as tlsCAFile`;
const notTls = `${to} answers in something else than TLS; if it speaks none, leave tls out (mongodb+srv: tls=false)`;
const notAccepted = `${to} does not accept the certificate of tlsCertificateKeyFile; is it signed by an authority that it trusts?`;
const noVersion = `${to} and this client have no version of TLS in common`;

describe('an error of a TLS connection', () => {
  test.each<readonly [string, string]>([
    ['DEPTH_ZERO_SELF_SIGNED_CERT', untrusted],
    ['SELF_SIGNED_CERT_IN_CHAIN', untrusted],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', untrusted],
    ['UNABLE_TO_GET_ISSUER_CERT', untrusted],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', untrusted],
    ['CERT_UNTRUSTED', untrusted],
    ['INVALID_CA', untrusted],
    ['CERT_HAS_EXPIRED', `The certificate of ${to}, or of its authority, has expired; renew it at the server`],
    ['CERT_NOT_YET_VALID', `The certificate of ${to}, or of its authority, is not valid yet; are the clocks right?`],
    ['CERT_REVOKED', `The certificate of ${to} was revoked, says the list in tlsCRLFile`],
    [
      'UNABLE_TO_GET_CRL',
      `Whether the certificate of ${to} was revoked is not known: tlsCRLFile holds no list of its authority`,
    ],
    [
      'CRL_HAS_EXPIRED',
      `Whether the certificate of ${to} was revoked is not known: the list in tlsCRLFile has expired`,
    ],
    ...['CERT_SIGNATURE_FAILURE', 'CRL_NOT_YET_VALID', 'UNABLE_TO_DECODE_ISSUER_PUBLIC_KEY'].map(
      code => [code, `The certificate of ${to} is not valid`] as const,
    ),
    ['ERROR_IN_CERT_NOT_BEFORE_FIELD', `The certificate of ${to} is not valid`],
    ['HOSTNAME_MISMATCH', `The certificate of ${to} is not valid`],
    ['ERR_SSL_WRONG_VERSION_NUMBER', notTls],
    ['ERR_SSL_PACKET_LENGTH_TOO_LONG', notTls],
    ['ERR_SSL_HTTP_REQUEST', notTls],
    ['ERR_SSL_UNKNOWN_PROTOCOL', notTls],
    ['ERR_SSL_RECORD_LAYER_FAILURE', notTls],
    [
      'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
      `${to} wants a certificate of the client; name one with its key as tlsCertificateKeyFile`,
    ],
    ['ERR_SSL_TLSV1_ALERT_UNKNOWN_CA', notAccepted],
    ['ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE', notAccepted],
    ['ERR_SSL_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE', notAccepted],
    ['ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED', notAccepted],
    ['ERR_SSL_SSLV3_ALERT_CERTIFICATE_REVOKED', notAccepted],
    ['ERR_SSL_TLSV1_ALERT_ACCESS_DENIED', notAccepted],
    ['ERR_SSL_TLSV1_ALERT_DECRYPT_ERROR', notAccepted],
    [
      'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE',
      `${to} broke off the TLS handshake; it may want a client certificate (tlsCertificateKeyFile), or other ciphers`,
    ],
    ['ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION', noVersion],
    ['ERR_SSL_UNSUPPORTED_PROTOCOL', noVersion],
    ['ERR_SSL_NO_PROTOCOLS_AVAILABLE', noVersion],
    ['ERR_SSL_NO_SHARED_CIPHER', `${to} and this client did not come to terms about TLS`],
  ])('with the code %s is a protocol error in a sentence', (code, sentence) => {
    const error = explained(code);
    expect(error).toMatchObject({
      kind: 'protocol',
      message: `${sentence} (${code})`,
      origin: { phase: 'tls', sent: false, address: to },
      cause: { code, message: 'the words of Node.js' },
    });
  });

  test('about the name in a certificate says which names it has, or what Node.js says', () => {
    const code = 'ERR_TLS_CERT_ALTNAME_INVALID';
    const start = `The certificate of ${to} is that of another host:`;
    const reason = 'db1.example. is not in the list: DNS:db2.example.';
    expect([explained(code, { reason })?.message, explained(code)?.message]).toEqual([
      `${start} ${reason} Connect by a name that it holds (${code})`,
      `${start} the words of Node.js Connect by a name that it holds (${code})`,
    ]);
  });

  test.each(['ECONNRESET', 'EPIPE', undefined, '', 'XCERT_HAS', 'CERTAIN', 'NOT_ERR_SSL_AT_ALL', 'ERR_CERT_X'])(
    'with the code %s is none of TLS: the connection broke',
    code => {
      expect(explained(code)).toBeUndefined();
    },
  );
});

/** Made for this test: of this key, the passphrase `w868` is one of the few wrong ones that seem to fit. */
const key = `-----BEGIN ENCRYPTED PRIVATE KEY-----
MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAieLbzrbWyb/AICCAAw
DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEMFwKLQBO0BIhN7IdvODwGoEgZCX
CcSYJrbK/qIT8XjyRqmc1f6P/Hq1dXiVkJyp/CSZ7U7mbOpIrT7cwzfwHK0LzVgr
IeJmlfasprSydMmnRAeZH6HjQ8V6rPZsAAYticjNHU/RRwNFgEj+fc4QZqTI1VGq
uKIYHKqzTMjBCofUTLt7hLhlFsEjO7QoMjzvk46q58yTYX9iOmbO8bV86kGde1Y=
-----END ENCRYPTED PRIVATE KEY-----
`;

test.each(['hunter3', 'w868'])(
  'the wrong passphrase %s is reported as one, also if it seems to fit',
  async passphrase => {
    const settings = strictTls({ native: { key, passphrase } });
    await expect(prepareTls(settings, to, 'db1.example')).rejects.toMatchObject({
      kind: 'usage',
      message: expect.stringMatching(
        /^The TLS options cannot be used \(ERR_OSSL_\w+\); is tlsCertificateKeyFilePassword \(or passphrase\) the right one\?$/,
      ) as unknown,
    });
  },
);

import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import type { Socket as NetSocket } from 'node:net';
import type { ConnectionOptions, SecureContext, SecureContextOptions, TLSSocket, connect } from 'node:tls';
import { MongoError } from '@tessera/contracts';
import type { Address, TlsSettings } from '@tessera/contracts';

/** What is made once of the settings of a client and serves all its connections. */
interface Prepared {
  readonly connect: typeof connect;
  readonly context: SecureContext;
  /** The last session of each server: the next connection to it shakes hands with it in half the work. */
  readonly sessions: Map<Address, Uint8Array>;
}

const prepared = new WeakMap<TlsSettings, Promise<Prepared>>();

const read = async (option: string, path: string | undefined): Promise<Buffer | undefined> => {
  if (path === undefined) return undefined;
  try {
    return await readFile(path);
  } catch (cause) {
    const message = `The file of the option '${option}' could not be read: ${(cause as Error).message}`;
    throw new MongoError('usage', message, { cause });
  }
};

/** What OpenSSL says of keys and passphrases, in the words of the options; it never repeats them. */
const unusable = (cause: unknown, hasPassphrase: boolean): MongoError => {
  const { message, code } = cause as { readonly message: string; readonly code?: string };
  const denied = /bad.decrypt|bad.password|interrupted.or.cancelled|unable.to.load.password|mac.verify.failure/i;
  // One wrong passphrase in 256 seems to fit, and the key that it gives is of no known kind.
  const isNoKey = hasPassphrase && code === 'ERR_OSSL_UNSUPPORTED';
  const advice =
    denied.test(message) || isNoKey
      ? 'is tlsCertificateKeyFilePassword (or passphrase) the right one?'
      : 'are the files PEM, and do certificate and key belong together?';
  return new MongoError('usage', `The TLS options cannot be used (${code ?? message}); ${advice}`, { cause });
};

const prepare = async (settings: TlsSettings): Promise<Prepared> => {
  const { native } = settings;
  const [ca, certificateKey, crl] = await Promise.all([
    read('tlsCAFile', settings.caFile),
    read('tlsCertificateKeyFile', settings.certificateKeyFile),
    read('tlsCRLFile', settings.crlFile),
  ]);
  // It takes milliseconds to load, which who speaks no TLS need not spend.
  const tls = await import('node:tls');
  const given = native as ConnectionOptions;
  const options: SecureContextOptions = {
    ...(ca === undefined ? {} : { ca }),
    ...(crl === undefined ? {} : { crl }),
    ...(certificateKey === undefined ? {} : { cert: certificateKey, key: certificateKey }),
    ...(settings.certificateKeyFilePassword === undefined ? {} : { passphrase: settings.certificateKeyFilePassword }),
    ...given,
  };
  try {
    const context = given.secureContext ?? tls.createSecureContext(options);
    return { connect: tls.connect, context, sessions: new Map() };
  } catch (cause) {
    throw unusable(cause, options.passphrase !== undefined);
  }
};

/** Settings that failed are looked at anew the next time: a file may be there by then. */
const preparedOf = (settings: TlsSettings): Promise<Prepared> => {
  const known = prepared.get(settings);
  if (known !== undefined) return known;
  const made = prepare(settings);
  prepared.set(settings, made);
  made.catch(() => prepared.delete(settings));
  return made;
};

/** Begins TLS on a socket that is connected; the caller hears `secureConnect` or `error`. */
export type Secure = (socket: NetSocket) => TLSSocket;

/**
 * Reads the files, so that beginning is all that is left to do once the socket is connected.
 * @param host undefined for a unix socket: its peer is taken for `localhost`.
 * @throws MongoError `usage` for files and options that cannot be used.
 */
export const prepareTls = async (settings: TlsSettings, to: Address, host: string | undefined): Promise<Secure> => {
  const { connect, context, sessions } = await preparedOf(settings);
  const given = settings.native as ConnectionOptions;
  // Names only. Rule: RFC 6066, "Server Name Indication": literal addresses are not permitted.
  const serverName = host === undefined || isIP(host) !== 0 ? undefined : host;
  return socket => {
    const session = sessions.get(to);
    const secured = connect({
      ...(settings.allowInvalidCertificates ? { rejectUnauthorized: false } : {}),
      ...(settings.allowInvalidHostnames ? { checkServerIdentity: () => undefined } : {}),
      ...(serverName === undefined ? {} : { servername: serverName }),
      ...(host === undefined ? {} : { host }),
      ...given,
      ...(session === undefined ? {} : { session: Buffer.from(session) }),
      secureContext: context,
      socket,
    });
    secured.on('session', ticket => sessions.set(to, ticket)).on('error', () => sessions.delete(to));
    return secured;
  };
};

const authorities = new Set([
  ...['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  ...['UNABLE_TO_GET_ISSUER_CERT', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'CERT_UNTRUSTED', 'INVALID_CA'],
]);

/** What is wrong with the server's certificate, by the code of Node.js. */
const certificateFault = (code: string, to: Address, error: Error): string | undefined => {
  const subject = `The certificate of ${to}`;
  if (authorities.has(code))
    return `${subject} is signed by no authority that is trusted here; name the one that signed it as tlsCAFile`;
  switch (code) {
    case 'CERT_HAS_EXPIRED':
      return `${subject}, or of its authority, has expired; renew it at the server`;
    case 'CERT_NOT_YET_VALID':
      return `${subject}, or of its authority, is not valid yet; are the clocks right?`;
    case 'CERT_REVOKED':
      return `${subject} was revoked, says the list in tlsCRLFile`;
    case 'UNABLE_TO_GET_CRL':
      return `Whether the certificate of ${to} was revoked is not known: tlsCRLFile holds no list of its authority`;
    case 'CRL_HAS_EXPIRED':
      return `Whether the certificate of ${to} was revoked is not known: the list in tlsCRLFile has expired`;
    case 'ERR_TLS_CERT_ALTNAME_INVALID': {
      const { reason } = error as { readonly reason?: string };
      return `${subject} is that of another host: ${reason ?? error.message} Connect by a name that it holds`;
    }
    default:
      return /^(CERT|CRL|UNABLE_TO|ERROR_IN_CERT|HOSTNAME)_/.test(code) ? `${subject} is not valid` : undefined;
  }
};

/** What the two ends could not agree on, by OpenSSL's code. */
const disagreement = (code: string, to: Address): string | undefined => {
  if (/WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST|UNKNOWN_PROTOCOL|RECORD_LAYER_FAILURE/.test(code))
    return `${to} answers in something else than TLS; if it speaks none, leave tls out (mongodb+srv: tls=false)`;
  if (code.includes('CERTIFICATE_REQUIRED'))
    return `${to} wants a certificate of the client; name one with its key as tlsCertificateKeyFile`;
  if (
    /ALERT_(UNKNOWN_CA|BAD_CERTIFICATE|UNSUPPORTED_CERTIFICATE|CERTIFICATE_\w+|ACCESS_DENIED|DECRYPT_ERROR)/.test(code)
  )
    return `${to} does not accept the certificate of tlsCertificateKeyFile; is it signed by an authority that it trusts?`;
  if (code.includes('HANDSHAKE_FAILURE'))
    return `${to} broke off the TLS handshake; it may want a client certificate (tlsCertificateKeyFile), or other ciphers`;
  if (/PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL|NO_PROTOCOLS/.test(code))
    return `${to} and this client have no version of TLS in common`;
  return code.startsWith('ERR_SSL_') ? `${to} and this client did not come to terms about TLS` : undefined;
};

/**
 * The error of a TLS socket in a sentence: `protocol` where the two ends did not come to terms, undefined where the
 * connection just broke.
 */
export const explainTls = (to: Address, cause: Error): MongoError | undefined => {
  const { code = '' } = cause as { readonly code?: string };
  const fault = certificateFault(code, to, cause) ?? disagreement(code, to);
  if (fault === undefined) return undefined;
  const origin = { phase: 'tls', sent: false, address: to } as const;
  return new MongoError('protocol', `${fault} (${code})`, { cause, origin });
};

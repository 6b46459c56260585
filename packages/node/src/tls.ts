import { readFile } from 'node:fs/promises';
import type { Socket as NetSocket } from 'node:net';
import type { ConnectionOptions, SecureContext, SecureContextOptions, TLSSocket, connect } from 'node:tls';
import { MongoError } from '@tessera/contracts';
import type { Address, TlsSettings } from '@tessera/contracts';
import { net } from './builtin.js';

/** The results of preparing a client's TLS settings once, which all its connections share. */
interface Prepared {
  readonly connect: typeof connect;
  readonly context: SecureContext;
  /** The last session of each server. Resuming it halves the cost of the next handshake. */
  readonly sessions: Map<Address, Uint8Array>;
}

const prepared = new WeakMap<TlsSettings, Promise<Prepared>>();

const read = async (option: string, path: string | undefined): Promise<Buffer | undefined> => {
  if (path === undefined) return undefined;
  try {
    return await readFile(path);
  } catch (cause) {
    const message = `Could not read the file of the option "${option}": ${(cause as Error).message}.`;
    throw new MongoError('usage', message, { cause });
  }
};

/** Converts OpenSSL's errors about keys and passphrases to messages about the options, without revealing them. */
const unusable = (cause: unknown, hasPassphrase: boolean): MongoError => {
  const { message, code } = cause as { readonly message: string; readonly code?: string };
  const denied = /bad.decrypt|bad.password|interrupted.or.cancelled|unable.to.load.password|mac.verify.failure/i;
  // One in 256 wrong passphrases seems to fit, and yields a key of an unknown type.
  const isNoKey = hasPassphrase && code === 'ERR_OSSL_UNSUPPORTED';
  const advice =
    denied.test(message) || isNoKey
      ? 'Check tlsCertificateKeyFilePassword (or passphrase).'
      : 'Check that the files are PEM, and that certificate and key belong together.';
  return new MongoError('usage', `The TLS options are invalid (${code ?? message}). ${advice}`, { cause });
};

const prepare = async (settings: TlsSettings): Promise<Prepared> => {
  const { native } = settings;
  const [ca, certificateKey, crl] = await Promise.all([
    read('tlsCAFile', settings.caFile),
    read('tlsCertificateKeyFile', settings.certificateKeyFile),
    read('tlsCRLFile', settings.crlFile),
  ]);
  // Loaded on demand, because it takes milliseconds and is not needed without TLS.
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

/**
 * Returns the prepared settings. Settings that failed are prepared again the next time, because a file may exist by
 * then.
 */
const preparedOf = (settings: TlsSettings): Promise<Prepared> => {
  const known = prepared.get(settings);
  if (known !== undefined) return known;
  const made = prepare(settings);
  prepared.set(settings, made);
  made.catch(() => prepared.delete(settings));
  return made;
};

/** TLS with one server. */
export interface Secure {
  /** Starts TLS on a connected socket. The caller listens for `secureConnect` and `error`. */
  start(socket: NetSocket): TLSSocket;
  /** Explains an error of the returned socket, see {@link explainTls}. */
  explain(error: Error): MongoError | undefined;
}

/**
 * Prepares TLS and reads the files, so that TLS can start as soon as a socket is connected.
 * @param host undefined for a Unix socket, whose peer is treated as `localhost`
 * @throws MongoError `usage` for invalid files and options
 */
export const prepareTls = async (settings: TlsSettings, to: Address, host: string | undefined): Promise<Secure> => {
  const { connect, context, sessions } = await preparedOf(settings);
  const given = settings.native as ConnectionOptions;
  // Server names only. Rule: RFC 6066, "Server Name Indication": literal addresses are not permitted.
  const serverName = host === undefined || net().isIP(host) !== 0 ? undefined : host;
  const start = (socket: NetSocket): TLSSocket => {
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
  return { start, explain: error => explainTls(to, error) };
};

const authorities = new Set([
  ...['DEPTH_ZERO_SELF_SIGNED_CERT', 'SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  ...['UNABLE_TO_GET_ISSUER_CERT', 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'CERT_UNTRUSTED', 'INVALID_CA'],
]);

/** Returns the problem with the server's certificate, by the error code of Node.js. */
const certificateFault = (code: string, to: Address, error: Error): string | undefined => {
  const subject = `The certificate of ${to}`;
  if (authorities.has(code))
    return `${subject} is not signed by a trusted authority; pass the authority's certificate as tlsCAFile`;
  switch (code) {
    case 'CERT_HAS_EXPIRED':
      return `${subject}, or of its authority, has expired; renew it on the server`;
    case 'CERT_NOT_YET_VALID':
      return `${subject}, or of its authority, is not valid yet; check the clocks of both machines`;
    case 'CERT_REVOKED':
      return `${subject} was revoked according to tlsCRLFile`;
    case 'UNABLE_TO_GET_CRL':
      return `Cannot check whether the certificate of ${to} was revoked: tlsCRLFile has no list of its authority`;
    case 'CRL_HAS_EXPIRED':
      return `Cannot check whether the certificate of ${to} was revoked: the list in tlsCRLFile has expired`;
    case 'ERR_TLS_CERT_ALTNAME_INVALID': {
      const { reason } = error as { readonly reason?: string };
      return `${subject} is for another host: ${reason ?? error.message} Connect with a host name in the certificate`;
    }
    default:
      return /^(CERT|CRL|UNABLE_TO|ERROR_IN_CERT|HOSTNAME)_/.test(code) ? `${subject} is invalid` : undefined;
  }
};

/** Returns the reason why the TLS handshake failed, by the error code of OpenSSL. */
const disagreement = (code: string, to: Address): string | undefined => {
  if (/WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST|UNKNOWN_PROTOCOL|RECORD_LAYER_FAILURE/.test(code))
    return `${to} does not respond with TLS; if it does not use TLS, remove the option tls (for mongodb+srv, set tls=false)`;
  if (code.includes('CERTIFICATE_REQUIRED')) return `${to} requires a client certificate; set tlsCertificateKeyFile`;
  if (
    /ALERT_(UNKNOWN_CA|BAD_CERTIFICATE|UNSUPPORTED_CERTIFICATE|CERTIFICATE_\w+|ACCESS_DENIED|DECRYPT_ERROR)/.test(code)
  )
    return `${to} rejected the certificate in tlsCertificateKeyFile; check that it is signed by an authority that the server trusts`;
  if (code.includes('HANDSHAKE_FAILURE'))
    return `${to} aborted the TLS handshake; it may require a client certificate (tlsCertificateKeyFile) or other ciphers`;
  if (/PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL|NO_PROTOCOLS/.test(code))
    return `${to} and this client have no TLS version in common`;
  return code.startsWith('ERR_SSL_') ? `The TLS handshake with ${to} failed` : undefined;
};

/**
 * Explains the error of a TLS socket: a `protocol` error if the handshake failed, undefined if the connection was lost.
 */
export const explainTls = (to: Address, cause: Error): MongoError | undefined => {
  const { code = '' } = cause as { readonly code?: string };
  const fault = certificateFault(code, to, cause) ?? disagreement(code, to);
  if (fault === undefined) return undefined;
  const origin = { phase: 'tls', sent: false, address: to } as const;
  return new MongoError('protocol', `${fault} (${code}).`, { cause, origin });
};

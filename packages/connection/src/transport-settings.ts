import { nativeTls } from '@tessera/contracts';
import type { ProxySettings, TlsSettings, TransportSettings } from '@tessera/contracts';

/**
 * Returns undefined without TLS. Called once per client, so that its connections share one object. Rule: URI Options,
 * the rows on TLS.
 */
export const tlsSettings = (given: TransportSettings): TlsSettings | undefined => {
  if (given.tls !== true) return undefined;
  const { tlsInsecure = false } = given;
  const options = given as Readonly<Record<string, unknown>>;
  return {
    caFile: given.tlsCAFile,
    certificateKeyFile: given.tlsCertificateKeyFile,
    certificateKeyFilePassword: given.tlsCertificateKeyFilePassword,
    crlFile: given.tlsCRLFile,
    allowInvalidCertificates: given.tlsAllowInvalidCertificates ?? tlsInsecure,
    allowInvalidHostnames: given.tlsAllowInvalidHostnames ?? tlsInsecure,
    native: Object.fromEntries(nativeTls.flatMap(name => (options[name] === undefined ? [] : [[name, options[name]]]))),
  };
};

/** Returns undefined without a proxy. Rule: SOCKS5 Support, "MongoClient Configuration". */
export const proxySettings = (given: TransportSettings): ProxySettings | undefined =>
  given.proxyHost === undefined
    ? undefined
    : {
        host: given.proxyHost,
        port: given.proxyPort ?? 1080,
        username: given.proxyUsername,
        password: given.proxyPassword,
      };

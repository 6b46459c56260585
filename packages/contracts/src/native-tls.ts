/**
 * The names of the options of Node's `tls.connect` that a client also accepts. The client passes them on
 * in {@link TlsSettings.native}.
 */
export const nativeTls: readonly string[] = [
  ...['ca', 'cert', 'key', 'pfx', 'passphrase', 'crl', 'servername', 'checkServerIdentity', 'rejectUnauthorized'],
  ...['secureContext', 'secureProtocol', 'minVersion', 'maxVersion', 'ciphers', 'ecdhCurve', 'minDHSize'],
  ...['allowPartialTrustChain'],
];

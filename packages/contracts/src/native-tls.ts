/**
 * The names of the options of Node's `tls.connect` that a client accepts. The options that a {@link CreateConnect} receives contain
 * them, although {@link ConnectionOptions} does not declare them. The part `connect` copies them to {@link TlsSettings.native}.
 */
export const nativeTls: readonly string[] = [
  ...['ca', 'cert', 'key', 'pfx', 'passphrase', 'crl', 'servername', 'checkServerIdentity', 'rejectUnauthorized'],
  ...['secureContext', 'secureProtocol', 'minVersion', 'maxVersion', 'ciphers', 'ecdhCurve', 'minDHSize'],
  ...['allowPartialTrustChain', 'ALPNProtocols', 'session'],
];

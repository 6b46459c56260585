/** The options of `tls.connect` of Node.js that are options of a client too, and become {@link TlsSettings.native}. */
export const nativeTls: readonly string[] = [
  ...['ca', 'cert', 'key', 'pfx', 'passphrase', 'crl', 'servername', 'checkServerIdentity', 'rejectUnauthorized'],
  ...['secureContext', 'secureProtocol', 'minVersion', 'maxVersion', 'ciphers', 'ecdhCurve', 'minDHSize'],
  ...['allowPartialTrustChain'],
];

/** Creates X.509 certificates in DER for tests, signed with keys of Node.js. Specification: RFC 5280. */
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { isIP } from 'node:net';

type Der = Buffer;

const tlv = (tag: number, ...contents: readonly Uint8Array[]): Der => {
  const content = Buffer.concat(contents);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Uint8Array.of(tag, ...size), content]);
};
const sequence = (...items: readonly Der[]): Der => tlv(0x30, ...items);
const set = (...items: readonly Der[]): Der => tlv(0x31, ...items);
const explicit = (number: number, content: Der): Der => tlv(0xa0 + number, content);
const bits = (content: Uint8Array): Der => tlv(0x03, Uint8Array.of(0), content);
const octets = (content: Uint8Array): Der => tlv(0x04, content);
const utf8 = (text: string): Der => tlv(0x0c, Buffer.from(text));
const yes = tlv(0x01, Uint8Array.of(255));
const integer = (...bytes: readonly number[]): Der => tlv(0x02, Uint8Array.of(...bytes));
const time = (at: number): Der => tlv(0x18, Buffer.from(new Date(at).toISOString().replace(/[-:T]|\.\d+/g, '')));

const base128 = (arc: number): readonly number[] =>
  arc < 128 ? [arc] : [...base128(arc >> 7).map(byte => byte | 128), arc & 127];
const oid = (text: string): Der => {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  return tlv(0x06, Uint8Array.of(first * 40 + second, ...rest.flatMap(base128)));
};

const ecdsaWithSha256 = sequence(oid('1.2.840.10045.4.3.2'));
const attribute = (type: string, value: string): Der => set(sequence(oid(type), utf8(value)));
const nameTypes = { CN: '2.5.4.3', C: '2.5.4.6', L: '2.5.4.7', ST: '2.5.4.8', O: '2.5.4.10', OU: '2.5.4.11' } as const;

type NameType = keyof typeof nameTypes;

const nameOf = (attributes: readonly (readonly [NameType, string])[]): Der =>
  sequence(...attributes.map(([type, value]) => attribute(nameTypes[type], value)));

const subjectOf = (commonName: string, { organization, places = [] }: CertificateOptions): Der =>
  nameOf([...(organization === undefined ? [] : [['O', organization] as const]), ['CN', commonName], ...places]);
const pem = (label: string, der: Uint8Array): string =>
  `-----BEGIN ${label}-----\n${Buffer.from(der)
    .toString('base64')
    .replace(/.{64}(?=.)/g, '$&\n')}\n-----END ${label}-----\n`;

const signed = (content: Der, key: KeyObject): Der =>
  sequence(content, ecdsaWithSha256, bits(sign('sha256', content, key)));

const alternative = (host: string): Der =>
  isIP(host) === 4
    ? tlv(0x87, Uint8Array.of(...host.split('.').map(Number)))
    : isIP(host) === 6
      ? tlv(0x87, Buffer.concat([Buffer.alloc(15), Uint8Array.of(Number(host.slice(2)))])) // An address such as ::1.
      : tlv(0x82, Buffer.from(host));

export interface Identity {
  readonly certificate: string;
  /** PKCS #8 in PEM. */
  readonly key: string;
  /** The certificate and the key in one file, for `tlsCertificateKeyFile`. */
  readonly both: string;
  readonly serial: readonly number[];
  readonly privateKey: KeyObject;
}

export interface CertificateOptions {
  /** The host names and addresses of the subject alternative name. The extension is absent by default. */
  readonly hosts?: readonly string[];
  /** The start and the end of the validity, in milliseconds from now. */
  readonly from?: number;
  readonly to?: number;
  /** The organization, which precedes the common name in the subject. */
  readonly organization?: string;
  /** Further attributes, which follow the common name in the subject. */
  readonly places?: readonly (readonly ['OU' | 'O' | 'L' | 'ST' | 'C', string])[];
  /** The passphrase that encrypts the private key. */
  readonly password?: string;
}

const day = 86_400_000;

export interface Authority {
  readonly certificate: string;
  readonly issue: (commonName: string, options?: CertificateOptions) => Identity;
  /** Returns a certificate revocation list. */
  revoke(...identities: readonly Identity[]): string;
}

export const createAuthority = (commonName = 'Authority of the tests'): Authority => {
  const now = Date.now();
  const ca = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const make = (
    subject: string,
    publicKey: KeyObject,
    serial: readonly number[],
    options: CertificateOptions,
  ): string => {
    const { hosts = [], from = -day, to = day } = options;
    const isAuthority = publicKey === ca.publicKey;
    const extensions = [
      ...(isAuthority ? [sequence(oid('2.5.29.19'), yes, octets(sequence(yes)))] : []),
      ...(hosts.length === 0 ? [] : [sequence(oid('2.5.29.17'), octets(sequence(...hosts.map(alternative))))]),
    ];
    const content = sequence(
      explicit(0, integer(2)),
      integer(...serial),
      ecdsaWithSha256,
      nameOf([['CN', commonName]]),
      sequence(time(now + from), time(now + to)),
      subjectOf(subject, options),
      publicKey.export({ type: 'spki', format: 'der' }),
      ...(extensions.length === 0 ? [] : [explicit(3, sequence(...extensions))]),
    );
    return pem('CERTIFICATE', signed(content, ca.privateKey));
  };
  return {
    certificate: make(commonName, ca.publicKey, [1], {}),
    issue: (subject, options = {}) => {
      const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      const serial = [1, ...randomBytes(8)];
      const { password } = options;
      const cipher = password === undefined ? {} : { cipher: 'aes-256-cbc', passphrase: password };
      const key = privateKey.export({ type: 'pkcs8', format: 'pem', ...cipher }) as string;
      const certificate = make(subject, publicKey, serial, options);
      return { certificate, key, both: certificate + key, serial, privateKey };
    },
    revoke: (...identities) => {
      const entries = identities.map(({ serial }) => sequence(integer(...serial), time(now - day)));
      const content = sequence(
        integer(1),
        ecdsaWithSha256,
        nameOf([['CN', commonName]]),
        time(now - day),
        time(now + day),
        ...(entries.length === 0 ? [] : [sequence(...entries)]),
      );
      return pem('X509 CRL', signed(content, ca.privateKey));
    },
  };
};

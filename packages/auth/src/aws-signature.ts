/**
 * Signs the request that MongoDB sends to AWS STS, with AWS Signature Version 4. Rule: Authentication, "MONGODB-AWS".
 */
import { toBase64 } from '@tessera/contracts';
import type { Crypto, Raw } from '@tessera/contracts';
import { utf8 } from './utf8.js';

/** Credentials of Amazon Web Services. */
export interface AwsCredentials {
  /** The id of the access key. */
  accessKeyId: string;
  /** The secret of the access key. */
  secretAccessKey: string;
  /** Present only in temporary credentials. */
  sessionToken?: string | undefined;
  /** The time at which temporary credentials end. Has no effect: the provider returns new ones for each connection. */
  expiration?: Date | undefined;
}

export interface ToSign {
  readonly credentials: AwsCredentials;
  /** The client's nonce followed by the server's, 64 bytes. */
  readonly nonce: Raw;
  readonly host: string;
  /** Milliseconds since 1970. */
  readonly time: number;
}

const body = 'Action=GetCallerIdentity&Version=2011-06-15';

const hex = (bytes: Raw): string => Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('');

/** `20191107T002607Z` */
export const amzDate = (time: number): string => new Date(time).toISOString().replace(/\.\d+/, '').replace(/[-:]/g, '');

/** Returns the AWS region of a host, or undefined if the host is invalid. Rule: "Region Calculation". */
export const regionOf = (host: string): string | undefined => {
  const labels = host.split('.');
  if (host.length > 255 || labels.includes('')) return undefined;
  return host === 'sts.amazonaws.com' || labels.length === 1 ? 'us-east-1' : labels[1];
};

/** Returns the value of the header Authorization. */
export const sign = (crypto: Crypto, { credentials, nonce, host, time }: ToSign, region: string): string => {
  const { accessKeyId, secretAccessKey, sessionToken } = credentials;
  const date = amzDate(time);
  const day = date.slice(0, 8);
  const headers: readonly (readonly [string, string])[] = [
    ['content-length', String(body.length)],
    ['content-type', 'application/x-www-form-urlencoded'],
    ['host', host],
    ['x-amz-date', date],
    ...(sessionToken === undefined ? [] : [['x-amz-security-token', sessionToken] as const]),
    ['x-mongodb-gs2-cb-flag', 'n'],
    ['x-mongodb-server-nonce', toBase64(nonce)],
  ];
  const names = headers.map(([name]) => name).join(';');
  const lines = headers.map(([name, value]) => `${name}:${value}\n`).join('');
  const hash = (text: string): string => hex(crypto.hash('sha256', utf8(text)));
  const hmac = (key: Raw, text: string): Raw => crypto.hmac('sha256', key, utf8(text));
  const canonical = `POST\n/\n\n${lines}\n${names}\n${hash(body)}`;
  const scope = `${day}/${region}/sts/aws4_request`;
  const key = [day, region, 'sts', 'aws4_request'].reduce(hmac, utf8(`AWS4${secretAccessKey}`));
  const signature = hex(hmac(key, `AWS4-HMAC-SHA256\n${date}\n${scope}\n${hash(canonical)}`));
  return `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
};

import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { fromBase64, toBase64 } from '@tessera/contracts';
import { webIdentityKeys, webIdentityRequest } from '../src/aws-web-identity.js';

describe('Authentication "AssumeRoleWithWebIdentity"', () => {
  test('sends a form to AWS STS over TLS with the token in the body', () => {
    expect(webIdentityRequest({ roleArn: 'arn:aws:iam::1:role/r', sessionName: 'my session', token: 'a.b&c' })).toEqual(
      {
        method: 'POST',
        at: 'sts.amazonaws.com:443',
        path: '/',
        tls: { allowInvalidCertificates: false, allowInvalidHostnames: false, native: {} },
        headers: { Accept: 'application/json', 'Content-Type': 'application/x-www-form-urlencoded' },
        body: 'Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleArn=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fr&RoleSessionName=my%20session&WebIdentityToken=a.b%26c',
      },
    );
  });

  const credentials = { AccessKeyId: 'k', SecretAccessKey: 's', SessionToken: 't', Expiration: 1_573_084_800 };
  const keys = { ...credentials, Token: 't', Expiration: '2019-11-07T00:00:00.000Z' };

  test('reads wrapped and unwrapped keys, with the expiration in seconds or as text', () => {
    const wrapped = {
      AssumeRoleWithWebIdentityResponse: { AssumeRoleWithWebIdentityResult: { Credentials: credentials } },
    };
    expect(webIdentityKeys(wrapped)).toEqual(keys);
    expect(webIdentityKeys({ Credentials: credentials })).toEqual(keys);
    expect(webIdentityKeys({ Credentials: { ...credentials, Expiration: 'soon' } })).toEqual({
      ...{ ...keys, Expiration: 'soon' },
    });
  });

  test('returns no keys for a response without keys', () => {
    const none = { Token: undefined, Expiration: undefined };
    for (const odd of [null, undefined, 5, {}, { AssumeRoleWithWebIdentityResponse: null }])
      expect(webIdentityKeys(odd)).toEqual(none);
  });
});

describe('RFC 4648: base64', () => {
  test.each(['', 'f', 'fo', 'foo', 'foob', 'fooba', 'foobar', 'ÿþý>?~'])('converts "%s" in both directions', text => {
    const bytes = Uint8Array.from(Buffer.from(text, 'latin1'));
    expect(toBase64(bytes)).toBe(Buffer.from(bytes).toString('base64'));
    expect(fromBase64(toBase64(bytes))).toEqual(bytes);
  });

  test('encodes all bytes', () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, at) => at);
    const text = toBase64(bytes);
    expect(createHash('md5').update(text).digest('hex')).toBe(
      createHash('md5').update(Buffer.from(bytes).toString('base64')).digest('hex'),
    );
    expect(fromBase64(text)).toEqual(bytes);
  });

  test.each(['a', 'ab', 'abc', 'ab=', 'a===', '====', 'ab=c', 'ab c', 'ab-_', 'abcd=', 'abcde'])(
    'rejects "%s"',
    text => {
      expect(fromBase64(text)).toBeUndefined();
    },
  );
});

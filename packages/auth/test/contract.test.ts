import { createPlain, createScram, createX509, credentialOf } from '@tessera/auth';
import { authenticatorSuite } from '@tessera/sim';
import { describe, test } from 'vitest';
import { binary, world } from './scripted.js';

const user = { username: 'user', password: 'pencil' };
const step = (text: string, done = false) => ({ conversationId: 1, payload: binary(text), done, ok: 1 });

/** The example of RFC 7677. Rule: RFC 7677, section 3. */
const nonce = 'rOprNGfwEbeRWgbNEkqO';
const first = step(`r=${nonce}%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096`);
const last = step('v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=', true);
const scram = {
  createAuthenticator: () =>
    createScram(
      world(new Uint8Array(Buffer.from(nonce, 'base64'))),
      credentialOf({ ...user, authMechanism: 'SCRAM-SHA-256' })!,
    ),
  replies: [first, last],
  impostors: [
    [{ ok: 1 }],
    [step('r=another,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096')],
    [step(`r=${nonce}x,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=1`)],
    [first, step('v=AAAA', true)],
  ],
  secrets: ['pencil'],
};
const plain = {
  createAuthenticator: () => createPlain(world(), credentialOf({ ...user, authMechanism: 'PLAIN' })!),
  replies: [step('', true)],
  impostors: [[{ ok: 1 }], [step('')]],
  secrets: ['pencil'],
};
const x509 = {
  createAuthenticator: () => createX509(world(), credentialOf({ authMechanism: 'MONGODB-X509' })!),
  replies: [{ dbname: '$external', user: 'CN=client', ok: 1 }],
  secrets: [],
};

describe.each(Object.entries({ scram, plain, x509 }))('%s fulfills the contract of Authenticator', (_name, deps) => {
  for (const { name, run } of authenticatorSuite(deps)) test(name, run);
});

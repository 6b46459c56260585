import { Binary, Long, Timestamp } from 'bson';
import type { Document } from 'bson';
import { describe, expect, test } from 'vitest';
import { Client } from '../client.js';
import { set } from '../txn/session.js';
import { logIn } from './scram-client.js';

const hash = (length = 20, filling = 0): Binary => new Binary(Buffer.alloc(length, filling));
const dummy = { hash: hash(), keyId: Long.ZERO };

const timeOf = (reply: Document): Timestamp => (reply['$clusterTime'] as Document)['clusterTime'] as Timestamp;
const signatureOf = (reply: Document): Document => (reply['$clusterTime'] as Document)['signature'] as Document;
const later = (time: Timestamp): Timestamp => new Timestamp({ t: time.getHighBits() + 5, i: 1 });

describe('without authentication', () => {
  test('a member accepts the cluster time of any signature, and sends a signature of zeros', async () => {
    const { client } = set();
    const clusterTime = later(timeOf(await client.plain({ ping: 1 })));
    const signature = { hash: hash(20, 7), keyId: new Long(9) };
    const reply = await client.run({ ping: 1, $clusterTime: { clusterTime, signature } });
    expect(timeOf(reply)).toEqual(clusterTime);
    expect(signatureOf(reply)).toEqual(dummy);
  });

  const clusterTime = new Timestamp({ t: 1, i: 1 });

  test.each<readonly [Document, string]>([
    [{}, "40414 BSON field '$clusterTime.clusterTime' is missing but a required field"],
    [{ clusterTime: 1 }, "14 BSON field '$clusterTime.clusterTime' is the wrong type 'int', expected type 'timestamp'"],
    [
      { clusterTime, signature: 1 },
      "14 BSON field '$clusterTime.signature' is the wrong type 'int', expected type 'object'",
    ],
    [
      { clusterTime, signature: { hash: 'x', keyId: 1 } },
      "14 BSON field '$clusterTime.signature.hash' is the wrong type 'string', expected type 'binData'",
    ],
    [
      { clusterTime, signature: { hash: hash(), keyId: 'x' } },
      "14 BSON field '$clusterTime.signature.keyId' is the wrong type 'string', expected type 'long'",
    ],
    [
      { clusterTime, signature: { hash: hash() } },
      "40414 BSON field '$clusterTime.signature.keyId' is missing but a required field",
    ],
    [
      { clusterTime, signature: { hash: hash(5), keyId: 1 } },
      '12 Unsupported SHA1 hash length: 5. Expected length: 20',
    ],
    [
      { clusterTime: new Timestamp({ t: 3_000_000_000, i: 1 }) },
      "205 New cluster time, 3000000000, is too far from this node's wall clock time, 1700000001.",
    ],
  ])('a member rejects %j', async ($clusterTime, refusal) => {
    expect(await set().client.refusal({ ping: 1, $clusterTime })).toBe(refusal);
  });
});

describe('with authentication', () => {
  const members = async () => {
    const { server, client: boss } = set({ users: [{ user: 'root', pwd: 'root' }] });
    await logIn(boss, 'root', 'root');
    return { server, boss };
  };

  test('a member signs cluster times, and accepts its own signature from a client that lost its time', async () => {
    const { boss } = await members();
    const sent = await boss.run({ ping: 1 });
    expect(signatureOf(sent)).not.toEqual(dummy);
    expect(signatureOf(await boss.run({ ping: 1 }))).toEqual(signatureOf(sent));
    expect(await boss.plain({ ping: 1, $clusterTime: sent['$clusterTime'] })).toMatchObject({ ok: 1 });
  });

  test('a member rejects a later cluster time with the key or the signature of another deployment', async () => {
    const { boss } = await members();
    const sent = await boss.run({ ping: 1 });
    const clusterTime = later(timeOf(sent));
    const { keyId } = signatureOf(sent);
    const answer = (signature: Document | undefined): Promise<string> =>
      boss.refusal({ ping: 1, $clusterTime: { clusterTime, ...(signature && { signature }) } });
    const noKey = /^211 No keys found for HMAC that is valid for time: \{ ts: Timestamp\(\d+, 1\) \} with id: /;
    expect(await answer({ hash: hash(20, 7), keyId: new Long(9) })).toMatch(noKey);
    expect(await answer(dummy)).toMatch(noKey);
    expect(await answer(undefined)).toMatch(noKey);
    expect(await answer({ hash: hash(20, 7), keyId })).toBe('204 Proof does not match the cluster time');
    expect(await answer(signatureOf(sent))).toBe('204 Proof does not match the cluster time');
    expect(timeOf(await boss.run({ ping: 1 })).getHighBits()).toBeLessThan(clusterTime.getHighBits());
  });

  test('a member does not check a cluster time that it has reached', async () => {
    const { boss } = await members();
    const clusterTime = timeOf(await boss.run({ ping: 1 }));
    const signature = { hash: hash(20, 7), keyId: new Long(9) };
    expect(await boss.plain({ ping: 1, $clusterTime: { clusterTime, signature } })).toMatchObject({ ok: 1 });
  });

  test('the action advanceClusterTime allows a user to send unsigned cluster times', async () => {
    const { server, boss } = await members();
    const privileges = [{ resource: { cluster: true }, actions: ['advanceClusterTime'] }];
    await boss.plain({ createRole: 'clock', privileges, roles: [] }, 'admin');
    await boss.plain({ createUser: 'ada', pwd: 'pencil', roles: ['clock'] }, 'admin');
    const ada = new Client(server);
    await logIn(ada, 'ada', 'pencil');
    const sent = await ada.run({ ping: 1 });
    expect(signatureOf(sent)).toEqual(dummy);
    const clusterTime = later(timeOf(sent));
    expect(timeOf(await ada.run({ ping: 1, $clusterTime: { clusterTime, signature: dummy } }))).toEqual(clusterTime);
  });
});

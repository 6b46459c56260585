import assert from 'node:assert/strict';
import { check, skip, thrownBy } from './checks.mjs';
import { isTls, uri } from './deployment.mjs';

const password = 'söze';

/** Returns a URI of the same deployment for another user. */
const as = (name, secret, mechanism) => {
  const other = new URL(uri.replace(/^mongodb:/, 'http:').replace(/,[^/]*\//, '/'));
  const hosts = /\/\/(?:[^@/]*@)?([^/]*)\//.exec(uri)[1];
  other.searchParams.set('authSource', 'admin');
  if (mechanism !== undefined) other.searchParams.set('authMechanism', mechanism);
  const login = `${encodeURIComponent(name)}:${encodeURIComponent(secret)}@`;
  return `mongodb://${login}${hosts}/?${other.searchParams}`;
};

/**
 * @param {(address: string) => Promise<import('mongodb').MongoClient>} connect
 * @param {import('mongodb').MongoClient} client
 */
export async function logins(connect, client) {
  const trying = async address => {
    const other = await connect(address);
    try {
      return await other.db('admin').command({ connectionStatus: 1 });
    } finally {
      await other.close();
    }
  };
  const admin = client.db('admin');

  for (const mechanism of ['SCRAM-SHA-256', 'SCRAM-SHA-1']) {
    await check(`${mechanism} accepts the right password and rejects a wrong one`, async () => {
      const name = `of ${mechanism}`;
      await admin.command({ dropUser: name }).catch(() => undefined);
      await admin.command({
        createUser: name,
        pwd: password,
        roles: ['readWriteAnyDatabase'],
        mechanisms: [mechanism],
      });
      for (const how of [mechanism, undefined]) {
        const { authInfo } = await trying(as(name, password, how));
        assert.deepEqual(authInfo.authenticatedUsers, [{ user: name, db: 'admin' }]);
      }
      assert.equal((await thrownBy(() => trying(as(name, 'wrong', mechanism)))).code, 18);
    });
  }

  const encrypted = 'the server accepts only TLS';
  if (!isTls) return skip(encrypted, 'the deployment does not use TLS');
  await check(encrypted, async () => {
    const open = uri.replace(/tls=true/, 'tls=false').replace(/&tls(?:CAFile|CertificateKeyFile)=[^&]*/g, '');
    assert.match((await thrownBy(() => trying(open))).name, /^Mongo(?:ose)?(?:ServerSelection|Network)Error$/);
    const distrusting = uri.replace(/&tlsCAFile=[^&]*/, '');
    assert.match((await thrownBy(() => trying(distrusting))).message, /certificate|self.signed/);
    assert.equal((await trying(uri)).ok, 1);
  });
}

// A program in which Node.js cannot read the ES module of the external mechanisms, as if too many files were open.
import { MongoClient } from 'mongodb';

const hooks = `export async function load(url, context, next) {
  if (url.includes('external-mechanisms')) throw Object.assign(new Error('too many open files'), { code: 'EMFILE' });
  return next(url, context);
}`;
// oxlint-disable-next-line nodejs/no-unsupported-features/node-builtins -- No other function makes a module unreadable.
process.getBuiltinModule('node:module').register(`data:text/javascript,${encodeURIComponent(hooks)}`);

const asked = [];
const client = new MongoClient(process.argv[2].replace(/\/\/[^@]*@/, '//'), {
  authMechanism: 'MONGODB-OIDC',
  authMechanismProperties: {
    OIDC_CALLBACK: async ({ version }) => {
      asked.push(version);
      return { accessToken: 'token' };
    },
  },
});
const error = await client
  .db('shop')
  .command({ ping: 1 })
  .catch(thrown => thrown);
console.log(error.name, error.code, asked.length > 0);
await client.close();

// Checks the official Node.js driver. The environment variable DRIVER is the path of its module, of any version.
import { pathToFileURL } from 'node:url';
import { crud } from './crud.mjs';
import { uri } from './deployment.mjs';
import { files } from './files.mjs';
import { logins } from './logins.mjs';
import { sessions } from './sessions.mjs';
import { streams } from './streams.mjs';

const loaded = await import(pathToFileURL(process.env.DRIVER).href);
/** @type {typeof import('mongodb')} */
const driver = loaded.default ?? loaded;

const connect = async address => {
  const other = new driver.MongoClient(address, { serverSelectionTimeoutMS: 3000 });
  try {
    return await other.connect();
  } catch (error) {
    await other.close();
    throw error;
  }
};

const client = new driver.MongoClient(uri, { serverSelectionTimeoutMS: 10_000, heartbeatFrequencyMS: 500 });
await client.connect();
try {
  const db = client.db('peers');
  await crud(driver, client, db);
  await sessions(client, db);
  await streams(client, db);
  await files(driver, db);
  await logins(connect, client);
} finally {
  await client.close();
}
console.log('done');

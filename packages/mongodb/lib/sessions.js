// The class of sessions, under the path that it has in the official driver. Agents may wrap methods of the class
// ServerSessionPool, which the driver does not use.
const { ClientSession } = require('../dist/package.cjs');

class ServerSessionPool {
  sessions = [];

  acquire() {
    throw new Error('Use startSession of a MongoClient.');
  }

  release() {}
}

module.exports = { ClientSession, ServerSessionPool };

// Agents may wrap methods of this class of the official driver. The driver does not use it.
exports.ConnectionPool = class ConnectionPool {
  checkOut() {
    return Promise.reject(new Error('Use a MongoClient to run commands.'));
  }
};

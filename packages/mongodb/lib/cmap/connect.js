// Agents may wrap this function of the official driver. The driver does not call it.
exports.connect = options => Promise.reject(new Error(`Use a MongoClient to connect to ${options?.hostAddress}.`));

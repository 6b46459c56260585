// Tracing agents wrap `Connection.prototype.command` of the official driver. A client whose process has such an agent
// calls this method for each command, so that the agent makes a span for it.
class Connection {
  /** The command's reply, as a promise. */
  #reply;

  /** `address` and `id` are those of the connection to the server, and agents read them. */
  constructor(address, id, reply) {
    this.address = address;
    this.id = id;
    this.#reply = reply;
  }

  /** Returns the reply of the command, which the driver sends itself. Agents read the namespace and the command. */
  command(/* namespace, command, options */) {
    return this.#reply;
  }
}

exports.Connection = Connection;
exports.isWrapped = (
  command => () =>
    Connection.prototype.command !== command
)(Connection.prototype.command);

/** Returns the parts of a client that call the method. */
exports.createParts = withExchange => require('../agent.js').createAgentParts(Connection, withExchange);

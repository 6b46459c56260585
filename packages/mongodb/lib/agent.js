// The parts of a client that report its commands to the tracing agent of the process. They are loaded only if there is an
// agent, so that other programs do not pay for them.
const { AsyncResource } = require('node:async_hooks');

/** The fields that the official driver adds to a command after it has called the method that agents wrap. */
const added = new Set([
  ...['lsid', 'txnNumber', 'startTransaction', 'autocommit', '$clusterTime', '$readPreference', '$db', 'apiVersion'],
]);

const names = new Set(['commandStarted', 'commandSucceeded', 'commandFailed']);

/** Returns the collection of a command, or `$cmd` for a command on a database. */
function namespaceOf({ databaseName: db, commandName, command }) {
  const named = commandName === 'getMore' ? command.collection : command[commandName];
  const collection = typeof named === 'string' ? named : '$cmd';
  return { db, collection, toString: () => `${db}.${collection}` };
}

/** Returns the fields of a command that the official driver passes to the method. */
function fieldsOf({ commandName, command }) {
  const fields = Object.entries(command).filter(([name]) => !added.has(name));
  // The event of a command with credentials has no fields.
  return fields.length > 0 ? Object.fromEntries(fields) : { [commandName]: 1 };
}

/** Returns an event sink that calls the wrapped method for each command, in the context that `contextOf` returns. */
function createSink(Connection, contextOf) {
  const replies = new Map();
  const start = event => {
    const reply = new Promise((resolve, reject) => replies.set(event.requestId, { resolve, reject }));
    // Ignores a rejection that the agent does not handle.
    reply.catch(() => undefined);
    try {
      const connection = new Connection(event.address, event.connectionId, reply);
      connection.command(namespaceOf(event), fieldsOf(event), {}).catch(() => undefined);
    } catch {
      // An error of the agent must not fail the command.
    }
  };
  const settle = (event, end) => {
    const reply = replies.get(event.requestId);
    replies.delete(event.requestId);
    if (reply !== undefined) end(reply);
  };
  return {
    wants: name => names.has(name),
    emit(event) {
      if (event.name === 'commandStarted') {
        const context = contextOf(event.operationId);
        if (context === undefined) start(event);
        else context.runInAsyncScope(start, undefined, event);
      } else if (event.name === 'commandSucceeded') settle(event, ({ resolve }) => resolve(event.reply));
      else if (event.name === 'commandFailed') settle(event, ({ reject }) => reject(event.failure));
    },
  };
}

/** Returns a sink that passes events to both sinks. */
const both = (one, other) => ({
  wants: name => one.wants(name) || other.wants(name),
  emit(event) {
    if (one.wants(event.name)) one.emit(event);
    if (other.wants(event.name)) other.emit(event);
  },
});

/**
 * Returns a layer that keeps the context of each operation's caller, to which the spans of its commands belong, and a
 * function that adds the agent to a log.
 * @param Connection the class whose method `command` the agent has wrapped
 * @param withExchange the function of the same name of @tessera/contracts
 */
exports.createAgentParts = (Connection, withExchange) => {
  /** The operation whose command is being written, and its context. */
  let writing;
  const sink = createSink(Connection, operationId => {
    const context = writing?.id === operationId ? writing.context : undefined;
    writing = undefined;
    return context;
  });
  return {
    layer: next => request => {
      const context = new AsyncResource('MongoDB');
      const append = () => void (writing = { id: request.id, context });
      return next(withExchange(request, { append, received: () => undefined }));
    },
    log: open => (deps, settings) => {
      const log = open(deps, settings);
      return log === undefined ? sink : both(sink, log);
    },
  };
};

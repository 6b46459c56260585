// Prints the results of a program. Values that differ from run to run are replaced, so that two runs of the same
// program print the same lines.
'use strict';
const { inspect } = require('node:util');

const uri = process.env.MONGODB_URI;
const topology = process.env.TOPOLOGY;
/** Whether the deployment is a replica set, which transactions and change streams require. */
const isSet = topology === 'replicaset';

const ids = new Map();

/** Numbers ids in the order of their first appearance in a step. */
const numbered = text => {
  if (!ids.has(text)) ids.set(text, `#${ids.size + 1}`);
  return ids.get(text);
};

const replaced = [
  [/\b[0-9a-f]{24}\b/g, numbered],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, numbered],
  [/Timestamp\(\{ t: \d{9,}, i: \d+ \}\)/g, 'TIMESTAMP'],
  [/Timestamp\(\d{9,}, \d+\)/g, 'TIMESTAMP'],
  [/\b8[0-9A-F]{40,}\b/g, 'TOKEN'],
  [/\b202\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, 'DATE'],
  [/\b(127\.0\.0\.1|localhost):\d+/g, 'HOST'],
  [/\/[^\s'"]*\/node_modules\//g, ''],
];

/** Returns the text of a value, without ids, dates and addresses. */
const textOf = value =>
  replaced.reduce(
    (text, [pattern, by]) => text.replace(pattern, by),
    typeof value === 'string'
      ? value
      : inspect(value, { depth: 12, sorted: true, breakLength: 110, maxArrayLength: 50, maxStringLength: 500 }),
  );

/** Labels with which the official driver controls itself. */
const internal = ['HandshakeError', 'ResetPool', 'InterruptInUseConnections', 'PoolRequestedRetry'];

const isOfServer = error => ['MongoServerError', 'MongoBulkWriteError'].includes(error.name);
const isOfDriver = error => /^Mongo[A-Z]/.test(error.name) || error.name === 'MongooseServerSelectionError';

/**
 * Returns the parts of an error that programs depend on. Omits the messages of errors that a driver creates, because each
 * driver has its own words, and the details that Tessera appends to the server's messages.
 */
const errorOf = error => {
  if (!(error instanceof Error)) return { thrown: error };
  const { name, code, codeName, keyPattern, keyValue, index } = error;
  const labels = error.errorLabels?.filter(label => !internal.includes(label)) ?? [];
  const errorLabels = labels.length === 0 ? undefined : labels;
  const message =
    isOfDriver(error) && !isOfServer(error) ? undefined : error.message.split('\n')[0].replace(/ \([^()]*\)$/, '');
  const all = { name, message, code, codeName, errorLabels, keyPattern, keyValue, index };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
};

/** Runs a step and prints its result or its error. */
const step = async (title, work) => {
  ids.clear();
  let line;
  try {
    line = textOf(await work());
  } catch (error) {
    line = `throws ${textOf(errorOf(error))}`;
  }
  console.log(`# ${title}\n${line}`);
};

/** Returns the error of a call, for a step that prints more than one. */
const thrownBy = async work => {
  try {
    return { returned: await work() };
  } catch (error) {
    return errorOf(error);
  }
};

/** Ends the program. A resource that keeps the process alive is reported, because the program then runs too long. */
const done = () => console.log('done');

module.exports = { uri, topology, isSet, step, thrownBy, errorOf, textOf, done };

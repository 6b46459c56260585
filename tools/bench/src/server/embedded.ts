// Runs the embedded server in a separate process, so that its CPU time and memory can be measured separately from the
// client's. The argument is a folder for its data.
import { startServer } from 'tessera-server';
import { settledMemory } from '../once/settled-memory.js';

const [data] = process.argv.slice(2);
const server = await startServer(data === undefined ? {} : { data });
process.once('disconnect', () => void server.close());
process.on('message', () => {
  void settledMemory().then(({ heapUsed, external }) => process.send?.(heapUsed + external));
});
process.send?.(server.uri);

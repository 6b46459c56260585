// Runs the embedded server in a separate process, so that its CPU time and memory can be measured separately from the
// client's.
import { startServer } from 'tessera-server';
import { settledMemory } from '../once/settled-memory.js';

const server = await startServer();
process.once('disconnect', () => void server.close());
process.on('message', () => {
  void settledMemory().then(({ heapUsed, external }) => process.send?.(heapUsed + external));
});
process.send?.(server.uri);

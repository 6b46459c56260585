// The embedded server in a process of its own, so that its CPU time and memory can be told from the client's.
import { startServer } from 'tessera-server';

const server = await startServer();
process.once('disconnect', () => void server.close());
process.send?.(server.uri);

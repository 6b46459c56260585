import { startNullServer } from './server.js';

const server = await startNullServer();
process.on('disconnect', () => void server.close());
process.send!({ port: server.port });

import type { NullPlaces } from '../places.js';
import { startNullServer } from './server.js';

const server = await startNullServer(Number(process.argv[2]));
process.on('disconnect', () => void server.close());
const { port, tlsPort, authority, zlibPort, mongosPort } = server;
process.send!({ port, tlsPort, authority, zlibPort, mongosPort } satisfies NullPlaces);

import type { LogMessage } from '@tessera/contracts';
import { logSuite } from '@tessera/sim';
import { prove, withClient, work } from './prove.js';
import { openSmallLog } from './small-log.js';

await prove('logSuite', logSuite(openSmallLog));
const counts = new Map<string, number>();
const mongodbLogPath = { write: ({ message }: LogMessage) => counts.set(message, (counts.get(message) ?? 0) + 1) };
const options = { mongodbLogPath, mongodbLogComponentSeverities: { default: 'debug' } } as const;
await withClient({ parts: { log: openSmallLog }, ...options }, work);
for (const message of ['Command started', 'Command succeeded', 'Command failed', 'Connection created'])
  console.log(`${message}: ${counts.get(message)}`);

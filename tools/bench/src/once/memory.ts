/** A process that reads many documents and keeps them: what they take. */
import { setImmediate } from 'node:timers/promises';
import { batchDocuments, manyDocuments } from '../null-server/replies.js';
import type { Memory } from '../report.js';
import { sides } from '../side.js';
import type { SideName } from '../side.js';
import type { Document } from '../documents/varied.js';

const [side, port, reads] = process.argv.slice(2) as [SideName, string, string];

const heapUsed = async (): Promise<number> => {
  await setImmediate();
  globalThis.gc!();
  globalThis.gc!();
  return process.memoryUsage().heapUsed;
};

const client = await sides[side].connect(Number(port));
const many = client.db('bench').collection('many');
const read = (): Promise<Document[]> => many.find({}, { batchSize: batchDocuments }).toArray();

await read();
const before = await heapUsed();
const kept: Document[][] = [];
for (let number = 0; number < Number(reads); number += 1) kept.push(await read());
const after = await heapUsed();
process.send!({
  heapBytesPerDocument: (after - before) / (kept.length * manyDocuments),
  peakRssBytes: process.resourceUsage().maxRSS * 1024,
} satisfies Memory);
process.disconnect();
await client.close();

/** A process that reads and keeps many documents, and measures their memory. */
import { batchDocuments, manyDocuments } from '../null-server/replies.js';
import type { Memory } from '../report.js';
import { connect } from '../side.js';
import type { SideName } from '../side.js';
import type { Document } from '../documents/varied.js';
import { settledMemory } from './settled-memory.js';

const [side, port, reads] = process.argv.slice(2) as [SideName, string, string];

const client = await connect(side, Number(port));
const many = client.db('bench').collection('many');
const read = (): Promise<Document[]> => many.find({}, { batchSize: batchDocuments }).toArray();

await read();
const before = (await settledMemory()).heapUsed;
const kept: Document[][] = [];
for (let number = 0; number < Number(reads); number += 1) kept.push(await read());
const after = (await settledMemory()).heapUsed;
process.send!({
  heapBytesPerDocument: (after - before) / (kept.length * manyDocuments),
  peakRssBytes: process.resourceUsage().maxRSS * 1024,
} satisfies Memory);
process.disconnect();
await client.close();

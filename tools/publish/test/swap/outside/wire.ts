import { bson } from '@tessera/bson';
import type { CreateWire } from '@tessera/contracts';
import { wireSuite } from '@tessera/sim';
import { prove, withClient, work } from './prove.js';
import { createRecorder } from './recording-wire.js';
import { createSmallWire } from './small-wire.js';

const recorder = createRecorder();
const wire: CreateWire = deps => recorder.wrap(createSmallWire(deps));

await prove('wireSuite', wireSuite({ createWire: createSmallWire, bson }));
await withClient({ parts: { wire } }, work);
for (const name of ['insert', 'find', 'getMore', 'update', 'aggregate', 'drop', 'endSessions']) {
  const { sent, bytes, answered } = recorder.frames.get(name)!;
  console.log(`${name}: ${sent} frames, ${answered} replies, larger than headers: ${bytes > sent * 21}`);
}

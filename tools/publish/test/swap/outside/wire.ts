import { bson } from '@tessera/bson';
import type { CreateWire } from '@tessera/contracts';
import { wireSuite } from '@tessera/sim';
import { createWire } from '@tessera/wire';
import { prove, withClient, work } from './prove.js';
import { createRecorder } from './recording-wire.js';

const recorded =
  ({ wrap }: ReturnType<typeof createRecorder>): CreateWire =>
  deps =>
    wrap(createWire(deps));

await prove('wireSuite', wireSuite({ createWire: recorded(createRecorder()), bson }));
const recorder = createRecorder();
await withClient({ parts: { wire: recorded(recorder) } }, work);
for (const name of ['insert', 'find', 'getMore', 'update', 'aggregate', 'drop', 'endSessions']) {
  const { sent, bytes, answered } = recorder.frames.get(name)!;
  console.log(`${name}: ${sent} frames, ${answered} answered, more than headers: ${bytes > sent * 21}`);
}

// A server that replies `{ ok: 1 }` to every request. Its argument names its fault.
import { createServer } from 'node:net';

const { fault } = JSON.parse(process.argv[2] ?? '{}');
const kept = [];

const spin = () => {
  const begun = process.cpuUsage();
  for (let used = 0; used < 1_500_000;) {
    const { user, system } = process.cpuUsage(begun);
    used = user + system;
  }
};

const faults = {
  crash: frame => {
    // oxlint-disable-next-line nodejs/no-process-exit -- this is the planted fault
    if (frame.includes('$lookup')) process.exit(3);
  },
  hang: frame => {
    if (frame.includes('$lookup')) spin();
  },
  leak: frame => {
    if (frame.includes('$lookup')) kept.push(Buffer.alloc(60_000_000, 1));
  },
  none: () => undefined,
};

const reply = Buffer.from('260000000100000000000000dd070000000000000011000000016f6b00000000000000f03f00', 'hex');

const server = createServer(socket => {
  let pending = Buffer.alloc(0);
  socket.on('error', () => undefined);
  socket.on('data', chunk => {
    pending = Buffer.concat([pending, chunk]);
    while (pending.length >= 16) {
      const length = pending.readInt32LE(0);
      if (length < 16 || length > 48_000_000) return void socket.destroy();
      if (pending.length < length) return;
      faults[fault](pending.subarray(0, length));
      socket.write(reply);
      pending = pending.subarray(length);
    }
  });
});

process.on('message', () => {
  const { heapUsed, external, rss } = process.memoryUsage();
  process.send({ held: heapUsed + external, resident: rss, cpu: process.cpuUsage().user / 1000 });
});
// oxlint-disable-next-line nodejs/no-process-exit -- the parent process has ended
process.once('disconnect', () => process.exit());
server.listen(0, '127.0.0.1', () => process.send(`127.0.0.1:${server.address().port}`));

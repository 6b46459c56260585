import type { Millis, Runtime, Socket } from '@tessera/contracts';
import { expect, test } from 'vitest';
import { names, withServers, writing } from './with-servers.js';

/** Creates a server that sends its next reply in two parts: some bytes, and the rest after a delay. */
const createStalling = () => {
  let next: { readonly bytes: number; readonly rest: Millis } | undefined;
  const around = (runtime: Runtime): Runtime => {
    const stalling = (socket: Socket): Socket =>
      writing(socket, reply => {
        if (next === undefined) return socket.write(reply);
        const { bytes, rest } = next;
        next = undefined;
        socket.write(reply.subarray(0, bytes));
        runtime.clock.startTimer(rest, () => socket.write(reply.subarray(bytes)));
        return true;
      });
    const { listener } = runtime;
    return {
      ...runtime,
      listener: {
        listen: (at, accept) =>
          listener.listen(at, socket => {
            accept(stalling(socket));
          }),
      },
    };
  };
  return {
    around,
    stall: (bytes: number, rest: Millis) => {
      next = { bytes, rest };
    },
  };
};

const uri = 'mongodb://db1/?maxPoolSize=1&directConnection=true&retryReads=false&retryWrites=false';

/**
 * Runs a write that times out after 200 ms and whose reply is complete after 400 ms. Then waits for `idle` and runs
 * another write.
 */
const afterTimeout = async (bytes: number, idle: Millis): Promise<{ took: Millis; events: readonly string[] }> => {
  const { around, stall } = createStalling();
  let after: { took: Millis; events: readonly string[] } | undefined;
  await withServers(
    [{}],
    async ({ open, events, sleep, now }) => {
      const films = open(`${uri}&serverMonitoringMode=poll`).db('test').collection<{ _id: number }>('films');
      await films.insertOne({ _id: 1 });
      stall(bytes, 400);
      const began = now();
      await expect(films.insertOne({ _id: 42 }, { timeoutMS: 200 })).rejects.toThrow(/200 ms/);
      expect(now() - began).toBe(200);
      await sleep(idle);
      await films.insertOne({ _id: 2 });
      const emitted = names(events, 'connectionCreated', 'connectionClosed', 'connectionPoolCleared');
      after = { took: now() - began, events: emitted };
      expect(await films.countDocuments()).toBe(3);
    },
    around,
  );
  return after!;
};

test.each<readonly [title: string, bytes: number]>([
  ['Connection Monitoring and Pooling, prose test 6.1: a part of the length', 2],
  ['Connection Monitoring and Pooling, prose test 6.2: the length', 4],
  ['Connection Monitoring and Pooling, prose test 6.3: the header', 16],
  ['Connection Monitoring and Pooling, prose test 6.4: the header and a part of the body', 20],
])('%s arrived before the timeout: the rest is read and discarded, and the connection reused', async (_, bytes) => {
  const { took, events } = await afterTimeout(bytes, 0);
  expect(events).toEqual(['connectionCreated']);
  expect(took).toBeGreaterThan(400);
  expect(took).toBeLessThan(420);
});

test('Connection Monitoring and Pooling, prose test 7: a connection with a late reply is reusable after a long idle time', async () => {
  expect((await afterTimeout(2, 4000)).events).toEqual(['connectionCreated']);
});

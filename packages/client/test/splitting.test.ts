/** Which commands of a bulk write are retryable, after the server's limits have split it. */
import { describe, expect, test } from 'vitest';
import { ask, member } from './bad-server.js';
import type { Handles } from './bad-server.js';

const text = 'x'.repeat(300);
const one = { updateOne: { filter: { text }, update: { $set: { a: 1 } } } };
const many = { updateMany: { filter: { text }, update: { $set: { a: 1 } } } };
const ofClient = (name: 'updateOne' | 'updateMany') =>
  ({ name, namespace: 'test.films', filter: { text }, update: { $set: { a: 1 } } }) as const;
/** The size limit allows two of these statements. */
const small = { ...member, maxMessageSizeBytes: 1100 };
/** The same for MongoClient.bulkWrite, which reserves a thousand bytes for the command. */
const smallForClient = { ...member, maxMessageSizeBytes: 2100 };
const done = { n: 1, nModified: 1, cursor: { id: 0n, ns: 'admin.$cmd.bulkWrite', firstBatch: [] } };

const numbers = async (
  operate: (handles: Handles) => Promise<unknown>,
  hello: object,
): Promise<readonly (readonly unknown[])[]> => {
  const { commands, error } = await ask(done, operate, hello);
  expect(error).toBeUndefined();
  return commands.map(command => [Object.keys(command)[0], command['txnNumber']]);
};

describe('Retryable Writes, "Supported Write Operations": each command is considered separately, after splitting', () => {
  test('a command that the size limit ends before an updateMany is retryable', async () => {
    const seen = await numbers(({ films }) => films.bulkWrite([one, one, one, many, one]), small);
    expect(seen).toEqual([
      ['update', 1],
      ['update', undefined],
      ['update', 2],
    ]);
  });

  test('a command of MongoClient.bulkWrite that the size limit ends before an updateMany is retryable', async () => {
    const models = (['updateOne', 'updateOne', 'updateOne', 'updateMany', 'updateOne'] as const).map(ofClient);
    const seen = await numbers(({ client }) => client.bulkWrite(models), smallForClient);
    expect(seen.map(([name, number]) => [name, number !== undefined])).toEqual([
      ['bulkWrite', true],
      ['bulkWrite', false],
      ['bulkWrite', true],
    ]);
  });

  test('an unsplit command with an updateMany has no txnNumber, and commands in a transaction have that of the transaction', async () => {
    expect(await numbers(({ films }) => films.bulkWrite([one, many]), small)).toEqual([['update', undefined]]);
    const seen = await numbers(async ({ client, films }) => {
      const session = client.startSession();
      session.startTransaction();
      await films.bulkWrite([one, one, one, many, one], { session });
      await session.commitTransaction();
    }, small);
    expect(seen).toEqual([
      ['update', 1],
      ['update', 1],
      ['update', 1],
      ['commitTransaction', 1],
    ]);
  });
});

test('Driver Sessions: a statement that is too large is not sent, and its session is not dirty', async () => {
  const { error } = await ask(
    done,
    async ({ client, films }) => {
      const session = client.startSession();
      const large = films.insertOne({ text: 'x'.repeat(2000) }, { session });
      await expect(large).rejects.toMatchObject({ kind: 'usage', origin: { phase: 'command', sent: false } });
      expect(session.serverSession.isDirty).toBe(false);
      await films.insertOne({}, { session });
      expect(session.serverSession.isDirty).toBe(false);
    },
    { ...member, maxBsonObjectSize: 1000 },
  );
  expect(error).toBeUndefined();
});

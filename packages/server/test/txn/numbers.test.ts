import type { Document } from 'bson';
import { Long } from 'bson';
import { describe, expect, test } from 'vitest';
import { world } from '../client.js';
import { Session, set, transient } from './session.js';

describe('transaction numbers', () => {
  const find = { find: 'c' };

  test('are rejected if they are unknown, outdated or ended', async () => {
    const { client } = set();
    const session = new Session(client);
    const as = (txnNumber: bigint, more: Document = {}): Document => ({
      ...find,
      lsid: session.lsid,
      txnNumber,
      autocommit: false,
      ...more,
    });
    const codeOf = async (command: Document): Promise<unknown> => (await client.plain(command)).code ?? 'ok';
    expect(await codeOf(as(3n))).toBe(251);
    expect(await codeOf(as(3n, { startTransaction: true }))).toBe('ok');
    expect(await codeOf(as(3n, { startTransaction: true }))).toBe(117);
    expect(await codeOf(as(2n, { startTransaction: true }))).toBe(225);
    expect(await codeOf(as(4n))).toBe(251);
    expect(await codeOf(as(3n))).toBe('ok');
    const third = { lsid: session.lsid, txnNumber: 3n, autocommit: false };
    expect(await client.plain({ commitTransaction: 1, ...third }, 'admin')).toMatchObject({ ok: 1 });
    expect(await codeOf(as(3n))).toBe(256);
    expect(await client.plain({ abortTransaction: 1, ...third }, 'admin')).toMatchObject({ code: 256 });
  });

  test('can be neither committed nor aborted again after an abort', async () => {
    const { client } = set();
    const session = new Session(client).start();
    await session.run(find);
    expect(await session.abort()).toMatchObject({ ok: 1 });
    expect(await session.abort()).toMatchObject({ code: 251, errorLabels: [transient] });
    expect(await session.commit()).toMatchObject({ code: 251, errorLabels: [transient] });
  });

  test('belong either to a transaction or to a retryable write', async () => {
    const { client } = set();
    const session = new Session(client).start();
    await session.run(find);
    expect(await client.plain({ insert: 'c', documents: [{}], ...session.number })).toMatchObject({ code: 217 });
    const other = new Session(client, 2);
    await client.plain({ insert: 'c', documents: [{}], lsid: other.lsid, txnNumber: 1n });
    expect(await other.start().refusal(find)).toBe('117');
    expect(await other.refusal(find)).toBe(`251 ${transient}`);
  });

  test.each([
    [{ autocommit: false }, /^72 .*requires a transaction number/],
    [{ lsid: { id: 1 }, txnNumber: Long.ONE, autocommit: true }, /^72 Specifying autocommit=true/],
    [{ lsid: { id: 1 }, txnNumber: Long.ONE, startTransaction: true }, /^72 'startTransaction' field requires/],
    [
      { lsid: { id: 1 }, txnNumber: Long.ONE, autocommit: false, startTransaction: false },
      /^72 Specifying startTransaction=f/,
    ],
    [{ txnNumber: Long.ONE, autocommit: false }, /^72 Transaction number requires a session ID/],
  ])('are rejected with the fields %j', async (fields, refusal) => {
    expect(await set().client.refusal({ ...find, ...fields })).toMatch(refusal);
  });

  test('are rejected by a standalone', async () => {
    const { client } = world();
    expect(await new Session(client).start().refusal(find)).toBe('20');
  });

  test('are required by commitTransaction', async () => {
    expect(await set().client.refusal({ commitTransaction: 1 }, 'admin')).toMatch(/^125 commitTransaction must be run/);
  });
});

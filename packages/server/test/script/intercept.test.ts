import { expect, test } from 'vitest';
import { any } from '../../src/index.js';
import { Client, msgOf, settled, world } from '../client.js';

const insert = { insert: 'c', documents: [{ _id: 1 }] };

test('intercept() takes one request before it is executed, and the script answers it', async () => {
  const { server, client } = world();
  const taken = server.intercept('insert', { documents: [{ _id: any.int }] });
  const answer = client.plain(insert);
  (await taken).error(91, { labels: ['RetryableWriteError'] });
  expect(await answer).toMatchObject({ code: 91, errorLabels: ['RetryableWriteError'] });
  expect((await client.plain({ count: 'c' })).n).toBe(0);
  expect((await client.plain(insert)).n).toBe(1);
  await server.close();
});

test('intercept() with at: "applied" takes a request after it was executed, so that the write stays and the reply is lost', async () => {
  const { server, client } = world();
  const taken = server.intercept('insert', {}, { at: 'applied' });
  client.send(msgOf(1, { ...insert, $db: 'db' }));
  (await taken).hangUp();
  expect(client.closed).toBe(true);
  expect((await new Client(server).plain({ count: 'c' })).n).toBe(1);
  await server.close();
});

test('proceed() sends the ordinary reply, also after a delay', async () => {
  const { server, clock, client } = world();
  const taken = server.intercept('ping');
  const answer = client.plain({ ping: 1 });
  (await taken).after(30).proceed();
  await settled();
  expect(client.received).toEqual([]);
  await clock.advance(30);
  expect(await answer).toEqual({ ok: 1 });
  await server.close();
});

test('intercept() ignores requests that do not match', async () => {
  const { server, client } = world();
  const taken = server.intercept('insert', { insert: 'other' });
  expect((await client.plain(insert)).n).toBe(1);
  const answer = client.plain({ ...insert, insert: 'other' });
  (await taken).proceed();
  expect((await answer).n).toBe(1);
  await server.close();
});

test('intercept() times out if no matching request comes', async () => {
  const { server, clock } = world();
  const taken = expect(server.intercept('insert', {}, { within: 50 })).rejects.toThrow(
    'No insert arrived within 50 ms.',
  );
  await clock.advance(50);
  await taken;
  await server.close();
});

test('close() reports intercepted requests without an answer, and expected requests that never came', async () => {
  const { server, client } = world();
  const taken = server.intercept('ping');
  void server.intercept('insert');
  client.send(msgOf(1, { ping: 1, $db: 'db' }));
  await taken;
  await expect(server.close()).rejects.toThrow(
    /^The script was not completed: the insert to intercept never arrived; no answer to #1 ping \{ ping: 1, \$db: "db" \}\.\n\n {6}0 ms {2}#1 {2}client ──▶ server {2}ping .*\(received\)$/,
  );
  expect(client.closed).toBe(true);
});

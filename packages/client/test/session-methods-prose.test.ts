/** The prose tests of Driver Sessions about every method that takes a session. */
import { Admin, Collection, Db, MongoClient, MongoServerError } from '@tessera/client';
import type { ClientSession } from '@tessera/client';
import type { Document, DriverEvent } from '@tessera/contracts';
import { expect, test } from 'vitest';
import { methods, withoutSession } from './session-methods.js';
import { withServers } from './with-servers.js';

const set = 'mongodb://db1/?replicaSet=rs';

const commands = (events: readonly DriverEvent[]): readonly Document[] =>
  events.flatMap(event => (event.name === 'commandStarted' ? [event.command] : []));

const lsids = (events: readonly DriverEvent[]): readonly unknown[] =>
  commands(events).map(({ lsid }) => lsid as unknown);

/** Expects a server error, which means that the command was sent. */
const ofServer = (error: unknown): void => {
  expect(error).toBeInstanceOf(MongoServerError);
};

test('the tables of methods with and without a session are complete', () => {
  const classes = { Collection, Db, Admin, MongoClient };
  const found = Object.entries(classes).flatMap(([name, { prototype }]) =>
    Object.entries(Object.getOwnPropertyDescriptors(prototype))
      .filter(([method, { value }]) => !['constructor', 'toString'].includes(method) && typeof value === 'function')
      .map(([method]) => `${name}.${method}`),
  );
  const listed = [...methods.map(([title]) => title), ...withoutSession].filter(title => !title.includes('()'));
  expect(listed.toSorted()).toEqual(found.toSorted());
});

test('Driver Sessions, prose test 4: every method sends the lsid of its explicit session, or that of an implicit session', () =>
  withServers([{ replicaSet: 'rs' }], async ({ open, events }) => {
    const [explicit, implicit] = [open(set), open(set)];
    const session = explicit.startSession();
    for (const [title, call] of methods) {
      events.length = 0;
      await call(explicit, session).catch(ofServer);
      const sent = lsids(events);
      expect([title, sent.length > 0, sent]).toEqual([title, true, sent.map(() => session.id)]);
      events.length = 0;
      await call(implicit).catch(ofServer);
      const own = lsids(events);
      expect([title, own.length > 0, own]).toEqual([
        title,
        true,
        own.map(() => ({ id: expect.anything() as unknown })),
      ]);
      expect(own).not.toContainEqual(session.id);
    }
    await session.endSession();
  }));

test('Driver Sessions, prose test 5: every method rejects the session of another client and sends nothing', () =>
  withServers([{ replicaSet: 'rs' }], async ({ open, events }) => {
    const [client, other] = [open(set), open(set)];
    const session = other.startSession();
    for (const [title, call] of methods)
      await expect(call(client, session), title).rejects.toMatchObject({
        name: 'MongoInvalidArgumentError',
        message: 'The session belongs to another client. Start one with this client.',
      });
    expect(commands(events)).toEqual([]);
    await session.endSession();
  }));

test.each<readonly [title: string, end: (session: ClientSession) => Promise<void>]>([
  ['endSession', session => session.endSession()],
  ['Symbol.asyncDispose', session => session[Symbol.asyncDispose]()],
])('Driver Sessions, prose test 6: every method rejects a session that %s has ended and sends nothing', (_, end) =>
  withServers([{ replicaSet: 'rs' }], async ({ open, events }) => {
    const client = open(set);
    const session = client.startSession();
    await client.db('shop').collection('films').findOne({}, { session });
    await end(session);
    events.length = 0;
    for (const [title, call] of methods)
      await expect(call(client, session), title).rejects.toMatchObject({ name: 'MongoExpiredSessionError' });
    expect(commands(events)).toEqual([]);
  }),
);

import { MongoClient } from '@tessera/mongodb';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startServer } from 'tessera-server';
import { createApp } from '../src/app.js';

let server: Awaited<ReturnType<typeof startServer>>;
let client: MongoClient;
let app: FastifyInstance;

beforeAll(async () => {
  server = await startServer({ replicaSet: 'rs0' });
  client = new MongoClient(server.uri);
  app = await createApp(client);
});
afterAll(async () => {
  await app.close();
  await client.close();
  await server.close();
});

const addFilm = async (title: string, copies = 1): Promise<string> => {
  const added = await app.inject({ method: 'POST', url: '/films', payload: { title, year: 1931, copies } });
  expect(added.statusCode).toBe(201);
  return added.json<{ id: string }>().id;
};
const lend = (film: string, reader: string) =>
  app.inject({ method: 'POST', url: `/films/${film}/loans`, payload: { reader } });

test('a film that exists already is a conflict with its key', async () => {
  await addFilm('M');
  const again = await app.inject({ method: 'POST', url: '/films', payload: { title: 'M', year: 1931, copies: 2 } });
  expect([again.statusCode, again.json()]).toEqual([
    409,
    { message: 'It exists already.', key: { title: 'M', year: 1931 } },
  ]);
});

test('pages of films follow each other without gaps', async () => {
  for (let number = 1; number <= 45; number++) await addFilm(`Part ${String(number)}`);
  const titles: string[] = [];
  const sizes: number[] = [];
  let after: string | undefined;
  do {
    const page = await app.inject({ url: '/films', query: after === undefined ? {} : { after } });
    const { films, after: next } = page.json<{ films: { title: string }[]; after?: string }>();
    sizes.push(films.length);
    titles.push(...films.map(({ title }) => title));
    after = next;
  } while (after !== undefined);
  expect(titles.filter(title => title.startsWith('Part'))).toEqual(
    Array.from({ length: 45 }, (_, index) => `Part ${String(index + 1)}`),
  );
  expect(sizes).toEqual([20, 20, 6]);
});

test('the last copy is lent once, and a loan that fails returns its copy', async () => {
  const film = await addFilm('Metropolis', 2);
  const first = await lend(film, 'ada');
  expect([first.statusCode, (await lend(film, 'ada')).statusCode]).toEqual([201, 409]);
  const results = await Promise.all(['bob', 'eve', 'joe'].map(reader => lend(film, reader)));
  expect(results.map(({ statusCode }) => statusCode).toSorted()).toEqual([201, 409, 409]);
  expect(await client.db().collection('loans').countDocuments()).toBe(2);
  expect(await client.db().collection('films').findOne({ title: 'Metropolis' })).toMatchObject({ copies: 0 });
});

test('a poster is stored and sent back', async () => {
  const film = await addFilm('Nosferatu');
  const poster = Buffer.alloc(600_000, 7);
  const url = `/films/${film}/poster`;
  const stored = await app.inject({ method: 'PUT', url, headers: { 'content-type': 'image/png' }, payload: poster });
  expect(stored.statusCode).toBe(204);
  const sent = await app.inject({ url });
  expect([sent.headers['content-type'], sent.rawPayload.equals(poster)]).toEqual(['image/png', true]);
});

test('each loan is an event', async () => {
  const address = await app.listen({ port: 0 });
  const film = await addFilm('Faust');
  const controller = new AbortController();
  const events = await fetch(`${address}/loans/events`, { signal: controller.signal });
  const reader = events.body!.getReader();
  const next = async (): Promise<string> => Buffer.from((await reader.read()).value).toString();
  expect(await next()).toBe(': ready\n\n');
  await lend(film, 'ada');
  expect(JSON.parse((await next()).replace('data: ', ''))).toMatchObject({ film, reader: 'ada' });
  controller.abort();
});

/** HTTP responses in all the forms in which services send them. */
import { createWorld } from '@tessera/sim';
import { describe, expect, test } from 'vitest';
import { http } from '../src/http.js';
import type { HttpRequest } from '../src/http.js';
import { startMetadataService } from './metadata-service.js';

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

interface Talk {
  readonly answer: unknown;
  readonly said: string;
}

/** Sends a request to a service that responds with this text in one piece, and then optionally closes. */
const ask = async (
  says: string,
  { closes = false, ...more }: Partial<HttpRequest> & { closes?: boolean } = {},
): Promise<Talk> => {
  const world = createWorld({ turn });
  const talk: { answer?: unknown; said: string } = { said: '' };
  await world.run(async () => {
    const service = await startMetadataService(world, 'metadata:80', (_, socket, said) => {
      talk.said = said;
      socket.write(Buffer.from(says, 'latin1'));
      if (closes) socket.end();
    });
    const request: HttpRequest = { method: 'GET', at: 'metadata:80', path: '/x', headers: {}, ...more };
    talk.answer = await http(world.runtime, request, world.runtime.clock.now() + 1000).catch((error: unknown) => error);
    await service.close();
  });
  expect(world.leftovers()).toEqual([]);
  return talk as Talk;
};

const HEAD = 'HTTP/1.1 200 OK\r\n';
const body = async (says: string, closes = false): Promise<unknown> => (await ask(says, { closes })).answer;
const late = { kind: 'timeout', message: 'metadata:80 did not answer GET /x in time.' };

describe('the response', () => {
  test('with a given length ends there, and is awaited until complete', async () => {
    expect(await body(`${HEAD}Content-Length: 3\r\n\r\nabcdef`)).toEqual({ status: 200, body: 'abc' });
    expect(await body(`${HEAD}content-length:3\r\n\r\nabc`)).toEqual({ status: 200, body: 'abc' });
    expect(await body(`${HEAD}Content-Length: 0\r\n\r\n`)).toEqual({ status: 200, body: '' });
    expect(await body(`${HEAD}Content-Length: 12\r\n\r\nab`)).toMatchObject(late);
  });

  test('in chunks ends with the empty chunk, and is awaited until complete', async () => {
    const chunked = (content: string): Promise<unknown> => body(`${HEAD}Transfer-Encoding:  chunked\r\n\r\n${content}`);
    expect(await chunked('3\r\nabc\r\nA\r\n0123456789\r\n0\r\n\r\n')).toEqual({ status: 200, body: 'abc0123456789' });
    expect(await chunked('0\r\n\r\n')).toEqual({ status: 200, body: '' });
    for (const part of [
      '3',
      '3\r\nab',
      '3\r\nabc',
      '3\r\nabc\r\n',
      '3\r\nabc\r\n0',
      'x\r\nabc\r\n0\r\n\r\n',
      '-1\r\na\r\n0\r\n',
    ])
      expect(await chunked(part)).toMatchObject(late);
  });

  test('without a length ends with the connection', async () => {
    expect(await body(`${HEAD}\r\nabc`, true)).toEqual({ status: 200, body: 'abc' });
    expect(await body(`${HEAD}\r\nabc`)).toMatchObject(late);
  });

  test('is framed by its header only, not by similar lines in the body', async () => {
    const text = 'x\r\ntransfer-encoding: chunked\r\ncontent-length: 1\r\n';
    expect(await body(`${HEAD}Content-Length: ${text.length}\r\n\r\n${text}`)).toEqual({ status: 200, body: text });
    expect(await body(`${HEAD}\r\n${text}`, true)).toEqual({ status: 200, body: text });
  });

  test('is UTF-8, and its length is in bytes', async () => {
    const text = Buffer.from('é€').toString('latin1');
    expect(await body(`${HEAD}Content-Length: 5\r\n\r\n${text}`)).toEqual({ status: 200, body: 'é€' });
  });

  test('may be HTTP/1.0 with any status, and is rejected otherwise', async () => {
    expect(await body('HTTP/1.0 404 Not Found\r\nContent-Length: 0\r\n\r\n')).toEqual({ status: 404, body: '' });
    for (const odd of ['HTTP/2.0 200 OK\r\n\r\n', 'xHTTP/1.1 200 OK\r\n\r\n', 'HTTP/1.1 20\r\n\r\n', HEAD])
      expect(await body(odd, true)).toMatchObject({
        ...{ kind: 'network', message: 'metadata:80 sent an invalid HTTP response to GET /x.' },
      });
  });
});

describe('the request', () => {
  test('has a Host header without the default port, and closes the connection', async () => {
    const { said } = await ask(`${HEAD}Content-Length: 0\r\n\r\n`, { headers: { Metadata: 'true' } });
    expect(said).toBe('GET /x HTTP/1.1\r\nHost: metadata\r\nConnection: close\r\nMetadata: true\r\n\r\n');
  });

  test('sends the length of its body in bytes', async () => {
    const { said } = await ask(`${HEAD}Content-Length: 0\r\n\r\n`, { method: 'POST', body: 'é' });
    expect(said).toMatch(/^POST \/x HTTP\/1\.1\r\nHost: metadata\r\nConnection: close\r\nContent-Length: 2\r\n\r\n/);
  });
});

/**
 * A minimal HTTP/1.1 client for services of cloud providers, over any Transport: one request, one response. Rule: RFC
 * 9112.
 */
import { limitWait, MongoError } from '@tessera/contracts';
import type { Address, Clock, Millis, TlsSettings, Transport } from '@tessera/contracts';
import { textOf, utf8 } from './utf8.js';

export interface HttpRequest {
  readonly method: 'GET' | 'PUT' | 'POST';
  readonly at: Address;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** The TLS settings for HTTPS. */
  readonly tls?: TlsSettings;
}

export interface HttpDeps {
  readonly clock: Clock;
  readonly transport: Transport;
}

/** The maximum size of a response. Tokens and credentials are shorter. */
const longest = 262_144;

interface Answer {
  readonly status: number;
  readonly body: string;
}

const latin = (bytes: Uint8Array): string => Array.from(bytes, byte => String.fromCharCode(byte)).join('');

const bytesOfLatin = (text: string): Uint8Array => Uint8Array.from(text, letter => letter.charCodeAt(0));

/** Decodes a chunked body. Undefined while chunks are missing. */
const unchunked = (body: string): string | undefined => {
  let content = '';
  for (let at = 0; ;) {
    const end = body.indexOf('\r\n', at);
    if (end < 0) return undefined;
    const size = Number.parseInt(body.slice(at, end), 16);
    if (size === 0) return content;
    // An invalid size leaves the response incomplete until the connection ends.
    if (!(size > 0) || body.length < end + 2 + size) return undefined;
    content += body.slice(end + 2, end + 2 + size);
    at = end + 4 + size;
  }
};

/** Parses the response once it is complete. Each byte is one character here, so lengths are in bytes. */
const read = (text: string, ended: boolean): Answer | undefined => {
  const end = text.indexOf('\r\n\r\n');
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(text)?.[1];
  if (end < 0 || status === undefined) return undefined;
  const head = text.slice(0, end).toLowerCase();
  const body = text.slice(end + 4);
  const answer = (content: string): Answer => ({ status: Number(status), body: textOf(bytesOfLatin(content)) });
  if (/\r\ntransfer-encoding: *chunked/.test(head)) {
    const content = unchunked(body);
    return content === undefined ? undefined : answer(content);
  }
  const length = /\r\ncontent-length: *(\d+)/.exec(head)?.[1];
  if (length !== undefined) return body.length >= Number(length) ? answer(body.slice(0, Number(length))) : undefined;
  return ended ? answer(body) : undefined;
};

/**
 * Sends a request. @throws MongoError `network` if the connection fails or the response is not HTTP; `timeout` at the
 * deadline
 */
export const http = async (
  { clock, transport }: HttpDeps,
  { method, at, path, headers, body, tls }: HttpRequest,
  deadline: Millis,
): Promise<Answer> => {
  const socket = await transport.connect(at, tls === undefined ? { deadline } : { deadline, tls });
  const length = body === undefined ? {} : { 'Content-Length': utf8(body).length };
  const all = { Host: at.replace(/:(?:80|443)$/, ''), Connection: 'close', ...headers, ...length };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return new Promise((resolve, reject) => {
    let text = '';
    let room = new Uint8Array(0);
    const leave = limitWait({ clock, deadline }, () => {
      fail('timeout', `${at} did not answer ${method} ${path} in time`);
    });
    const end = (): void => {
      leave();
      socket.destroy();
    };
    const fail = (kind: 'network' | 'timeout', what: string): void => {
      end();
      reject(new MongoError(kind, `${what}.`));
    };
    const look = (ended: boolean): void => {
      const answer = read(text, ended);
      if (answer !== undefined) {
        end();
        resolve(answer);
      } else if (ended) fail('network', `${at} sent an invalid HTTP response to ${method} ${path}`);
    };
    socket.listen({
      room: () => (room = new Uint8Array(4096)),
      filled: count => {
        text += latin(room.subarray(0, count));
        if (text.length > longest) fail('network', `${at} sent too long a response to ${method} ${path}`);
        else look(false);
      },
      drained: () => {},
      closed: () => {
        look(true);
      },
    });
    socket.write(utf8(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`));
  });
};

import { existsSync } from 'node:fs';
import * as os from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { createNode } from '@tessera/node';
import { afterEach, expect, test } from 'vitest';

const { bun, deno } = process.versions as { readonly bun?: string; readonly deno?: string };
const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

/** Replaces a property of the process until the test ends. */
const replace = (object: object, name: string, value: unknown): void => {
  const before = Object.getOwnPropertyDescriptor(object, name)!;
  Object.defineProperty(object, name, { ...before, value });
  cleanups.push(() => Object.defineProperty(object, name, before));
};

/** Captures the text written to a standard stream until the test ends. */
const written = (stream: NodeJS.WriteStream): readonly string[] => {
  const texts: string[] = [];
  const { write } = stream;
  stream.write = text => texts.push(String(text)) > 0;
  cleanups.push(() => {
    stream.write = write;
  });
  return texts;
};

test('Platform: describes the operating system in the terms of Node.js', () => {
  expect(createNode().platform.os).toEqual({
    type: os.type(),
    name: os.platform(),
    architecture: os.arch(),
    version: os.release(),
  });
});

test('Platform: recognizes a Docker container by its file', () => {
  expect(createNode().platform.container).toBe(existsSync('/.dockerenv') ? 'docker' : undefined);
});

test('Platform: names the runtime and its version, and recognizes Bun and Deno before Node.js, whose interface they have', context => {
  context.skip(bun !== undefined || deno !== undefined, 'this is not Node.js');
  const named = (versions: object): string => {
    replace(process, 'versions', versions);
    return createNode().platform.runtime;
  };
  const { versions } = process;
  const end = os.endianness();
  expect([
    named(versions),
    named({ ...versions, bun: '1.2.3' }),
    named({ ...versions, deno: '2.3.4' }),
    named({ node: '20.0.0' }),
  ]).toEqual([
    `Node.js ${process.version}, ${end}`,
    `Bun v1.2.3, ${end}`,
    `Deno v2.3.4, ${end}`,
    `Node.js ${process.version}, ${end}`,
  ]);
});

test('Host: emits a warning through the process as a MongoDBWarning', async () => {
  const others = process.listeners('warning');
  process.removeAllListeners('warning');
  cleanups.push(() => {
    for (const listener of others) process.on('warning', listener);
  });
  const warned = new Promise<Error>(resolve => process.once('warning', resolve));
  createNode().host.warn?.('The option is deprecated.');
  const { name, message } = await warned;
  expect([name, message]).toEqual(['MongoDBWarning', 'The option is deprecated.']);
});

test('Host: reports the limit of the heap that V8 has', () => {
  expect(createNode().host.heapLimit?.()).toBe(getHeapStatistics().heap_size_limit);
});

test('Host: reads a text file as UTF-8', async () => {
  const text = await createNode().host.readText!(import.meta.filename);
  expect(text).toContain('schön');
});

test('Logging, "Configurable Log Destination": writes each line to stdout or stderr, named in any case', () => {
  const { openLog } = createNode().host;
  const [out, err] = [written(process.stdout), written(process.stderr)];
  openLog!('STDOUT')('one');
  openLog!('stdout')('two');
  openLog!('stderr')('three');
  openLog!('StdErr')('four');
  expect([out, err]).toEqual([
    ['one\n', 'two\n'],
    ['three\n', 'four\n'],
  ]);
});

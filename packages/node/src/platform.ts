import { AsyncLocalStorage } from 'node:async_hooks';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { arch, endianness, platform, release, type } from 'node:os';
import type { Host, Platform, Scope } from '@tessera/contracts';
import { v8 } from './builtin.js';
import { openLog } from './log-lines.js';

const runtimeName = (): string => {
  const { bun, deno } = process.versions as { readonly bun?: string; readonly deno?: string };
  if (bun !== undefined) return `Bun v${bun}`;
  if (deno !== undefined) return `Deno v${deno}`;
  return `Node.js ${process.version}`;
};

export const createPlatform = (): Platform => ({
  os: { type: type(), name: platform(), architecture: arch(), version: release() },
  runtime: `${runtimeName()}, ${endianness()}`,
  container: existsSync('/.dockerenv') ? 'docker' : undefined,
});

export const createHost = (): Host => ({
  environment: name => process.env[name],
  warn: sentence => {
    process.emitWarning(sentence, 'MongoDBWarning');
  },
  openLog,
  heapLimit: () => v8().getHeapStatistics().heap_size_limit,
  readText: path => readFile(path, 'utf8'),
  createScope: <T>(): Scope<T> => {
    const storage = new AsyncLocalStorage<T>();
    return { run: (value, call) => storage.run(value, call), current: () => storage.getStore() };
  },
});

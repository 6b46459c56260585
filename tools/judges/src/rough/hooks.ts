/** Module hooks of Node.js that load modules from memory. */
import { readFileSync } from 'node:fs';
import type { InitializeHook, LoadHook } from 'node:module';

let modules: Readonly<Record<string, string>> = {};

export const initialize: InitializeHook<string> = file => {
  modules = JSON.parse(readFileSync(new URL(file), 'utf8')) as Record<string, string>;
};

export const load: LoadHook = (url, context, next) => {
  const source = modules[url];
  return source === undefined ? next(url, context) : { format: 'module', source, shortCircuit: true };
};

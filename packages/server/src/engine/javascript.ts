import type { ScriptEngine } from '@tessera/mql/engine';
import type { Loading } from './loading.js';
import { loaded } from './loading.js';

let loading: Promise<ScriptEngine> | undefined;
let engine: ScriptEngine | undefined;

/** The JavaScript engine that all servers of the process share, if it is loaded. */
export const loadedJavaScript = (): ScriptEngine | undefined => (engine?.isBroken === true ? undefined : engine);

/** Loads the JavaScript engine. Replaces a broken one. */
export const loadJavaScript = async (host: Loading): Promise<ScriptEngine> => {
  if (engine?.isBroken === true) [engine, loading] = [undefined, undefined];
  loading ??= import('@tessera/javascript').then(javascript => javascript.loadJavaScript());
  engine = await loaded(host, loading);
  return engine;
};

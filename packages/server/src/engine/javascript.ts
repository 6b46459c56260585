import type { Host } from '@tessera/contracts';
import type { ScriptEngine } from '@tessera/mql/engine';

let loading: Promise<ScriptEngine> | undefined;
let engine: ScriptEngine | undefined;

/** The JavaScript engine that all servers of the process share, if it is loaded. */
export const loadedJavaScript = (): ScriptEngine | undefined => (engine?.isBroken === true ? undefined : engine);

/** Loads the JavaScript engine. Replaces a broken one. */
export const loadJavaScript = async ({
  host,
}: {
  readonly host: Pick<Host, 'loaded'> | undefined;
}): Promise<ScriptEngine> => {
  if (engine?.isBroken === true) [engine, loading] = [undefined, undefined];
  loading ??= import('@tessera/javascript').then(javascript => javascript.loadJavaScript());
  engine = await (host?.loaded?.(loading) ?? loading);
  return engine;
};

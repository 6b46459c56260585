// The server under test with a hole: a text of one of its modules is replaced.
// oxlint-disable-next-line nodejs/no-unsupported-features/node-builtins -- every supported version of Node.js has it; only tests use it
import { register } from 'node:module';

const { file, find, replace, options } = JSON.parse(process.argv[2] ?? '{}');
const hooks = `
export const load = async (url, context, next) => {
  const loaded = await next(url, context);
  if (!url.endsWith(${JSON.stringify(file)})) return loaded;
  const parts = String(loaded.source).split(${JSON.stringify(find)});
  if (parts.length !== 2) throw new Error(${JSON.stringify(`${file} must contain the text once: ${find}`)});
  return { ...loaded, source: parts.join(${JSON.stringify(replace)}) };
};`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
process.argv[2] = JSON.stringify(options);
await import('../../../dist/fuzz/served.js');

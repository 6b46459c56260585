/** `node --import 'register.js?modules=FILE'`: serves the modules of a JSON file in place of those on the disk. */
// eslint-disable-next-line n/no-unsupported-features/node-builtins -- the hooks run in every Node.js that runs this tool
import { register } from 'node:module';

register(new URL('hooks.js', import.meta.url), {
  data: new URL(import.meta.url).searchParams.get('modules'),
});

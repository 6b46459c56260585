/**
 * Registers the module hooks: `node --import 'register.js?modules=FILE'` loads the modules in a JSON file instead of
 * those on disk.
 */
// oxlint-disable-next-line nodejs/no-unsupported-features/node-builtins -- the hooks run in every Node.js that runs this tool
import { register } from 'node:module';

register(new URL('hooks.js', import.meta.url), {
  data: new URL(import.meta.url).searchParams.get('modules'),
});

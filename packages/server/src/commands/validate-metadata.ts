import type { CommandError } from '@tessera/mql/engine';
import { Doc } from '@tessera/mql/engine';
import { dbOf, nameOf } from '@tessera/store';
import type { Command } from './command.js';
import { command } from './command.js';
import { bool, required, string, structure } from './schema.js';
import { errorsOfMetadata } from './stable-api.js';

const described = (ns: string, { code, codeName, message }: CommandError): Doc =>
  Doc.of([
    ['ns', ns],
    ['code', code],
    ['codeName', codeName],
    ['errmsg', message],
  ]);

export const validateDBMetadata: Command = command({
  name: 'validateDBMetadata',
  schema: {
    db: string(),
    collection: string(),
    apiParameters: required(structure({ version: required(string()), strict: bool(), deprecationErrors: bool() })),
  },
  help: 'Lists the indexes and views that are not part of the Stable API.',
  run: (call, { db, collection, apiParameters }) => {
    const wanted = [...call.data.value.namespaces].filter(
      ([ns]) => (db ?? dbOf(ns)) === dbOf(ns) && (collection ?? nameOf(ns)) === nameOf(ns),
    );
    const strict = apiParameters.strict === true ? wanted : [];
    return [
      ['apiVersionErrors', strict.flatMap(([ns, one]) => errorsOfMetadata(one).map(error => described(ns, error)))],
    ];
  },
});

import { isAtLeast } from '../version.js';
import type { Version } from '../version.js';
import { fail } from '../errors.js';
import type { Doc } from '../value/doc.js';
import type { Value } from '../value/value.js';
import { CodeValue } from '../value/value.js';
import type { Scripts } from './scripts.js';
import { Program } from './scripts.js';

interface Given {
  readonly code: string;
  readonly scope: Doc | undefined;
}

const givenBy = (argument: Value, version: Version): Given => {
  if (typeof argument === 'string') return { code: argument, scope: undefined };
  if (!(argument instanceof CodeValue)) throw fail('BadValue', '$where got bad type');
  if (argument.scope !== undefined && isAtLeast(version, '4.4')) {
    throw fail(4649201, '$where no longer supports deprecated BSON type CodeWScope');
  }
  return argument;
};

/**
 * Compiles `$where` to a predicate.
 * @throws ScriptsPending, CommandError 2, 139, 4649201
 */
export const parseWhere = (argument: Value, version: Version, scripts: Scripts): ((doc: Doc) => boolean) => {
  const { code, scope } = givenBy(argument, version);
  if (code === '') throw fail('BadValue', 'code for $where cannot be empty');
  const program = new Program(scripts, { functions: { test: code }, scope });
  program.compile();
  return doc => program.test(doc);
};

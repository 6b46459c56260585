/** The reviewed differences between this driver and npm `mongodb`. */
import type { Described, Tree } from './describe.js';
import { textOfTree } from './describe.js';
import type { Difference } from './play.js';

export interface Rule {
  readonly name: string;
  /** Why this driver differs. */
  readonly reason: string;
  readonly holds: (difference: Difference) => boolean;
}

const isError = (tree: Tree | undefined): tree is Described =>
  typeof tree === 'object' && 'is' in tree && tree.members.some(([name]) => name === 'instance of');

/** Returns the error in an outcome or at the place of the difference. */
const errorIn = (tree: Tree): Described | undefined =>
  isError(tree)
    ? tree
    : Array.isArray(tree) && isError(tree[1] as Tree | undefined)
      ? (tree[1] as Described)
      : undefined;

const memberOf = (tree: Described | undefined, member: string): string =>
  textOfTree(tree?.members.find(([name]) => name === member)?.[1] ?? '');

/** Returns the classes of an error. */
const classesOf = (tree: Described): readonly string[] =>
  (tree.members.find(([name]) => name === 'instance of')?.[1] ?? []) as readonly string[];

/** Returns whether this driver rejects the call with a message that matches. */
const refuses =
  (message: RegExp) =>
  ({ where, ours }: Difference): boolean => {
    const error = errorIn(ours);
    return where === 'result' && error !== undefined && message.test(memberOf(error, 'says'));
  };

/** Makes a rule for a field of commands, whose values match. */
const sends = (name: string, reason: string, path: RegExp, ours: RegExp, theirs: RegExp): Rule => ({
  name,
  reason,
  holds: difference =>
    difference.where === 'command' &&
    path.test(`${difference.command ?? ''}${difference.path}`) &&
    ours.test(textOfTree(difference.ours)) &&
    theirs.test(textOfTree(difference.theirs)),
});

export const rules: readonly Rule[] = [
  {
    name: 'a value of a wrong type',
    reason:
      'This driver rejects it when the method is called. npm `mongodb` ignores it, sends it to the server, or fails while it uses it.',
    holds: refuses(
      /^"(?:The (?:option|argument) .* must be|The options of an operation must be|A filter must be a document|A replacement must be a doc|A document to insert must|A pipeline must be|A sort cannot be)/,
    ),
  },
  {
    name: 'a more precise class',
    reason:
      'The error of this driver belongs to a subclass of the class of npm `mongodb`, so the same `instanceof` finds it.',
    holds: ({ where, ours, theirs }) => {
      const [mine, other] = [errorIn(ours), errorIn(theirs)];
      return (
        where === 'result' &&
        mine !== undefined &&
        other !== undefined &&
        mine.is !== other.is &&
        classesOf(mine).includes(other.is)
      );
    },
  },
  sends(
    'the default value of the server',
    'This driver omits the field, and the server uses the same value.',
    /\.(?:new|authorizedCollections|dropTarget|bypassDocumentValidation|noCursorTimeout|singleBatch|limit|nameOnly|full|sort)$/,
    /^absent$/,
    /^(?:false|Int32\(0\)|\{\})$/,
  ),
  sends(
    'the name of buildInfo',
    'This driver sends the name of the documentation. The server accepts both names.',
    /^buildinfo$/,
    /buildInfo/,
    /buildinfo/,
  ),
  sends(
    'the argument of dbStats',
    'The documented argument is 1. The server accepts any value.',
    /^dbStats\.dbStats$/,
    /1/,
    /true/,
  ),
  sends(
    'the length of a GridFS file',
    'The specification requires an int64. npm `mongodb` sends an int32 if the number fits.',
    /\.length$/,
    /^Long/,
    /^Int32/,
  ),
  sends(
    'several GridFS chunks in one insert',
    'This driver sends fewer commands. The stored documents are equal.',
    /^insert\.documents$/,
    /files_id/,
    /files_id/,
  ),
  {
    name: 'dropIndex("*")',
    reason: 'The specification of index management requires an error, because the server would drop all indexes.',
    holds: refuses(/would drop all indexes|dropIndexes/),
  },
];

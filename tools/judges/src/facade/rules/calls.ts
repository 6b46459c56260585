/** Calls that one driver rejects and the other accepts. */
import type { Tree } from '../describe.js';
import { accepts, classesOf, errorIn, memberOf, refuses } from './rule.js';
import type { Rule } from './rule.js';

const messageOf = (ours: Tree): string => memberOf(errorIn(ours), 'says');

/** Returns whether the call sent a command that the server accepted. */
const succeeds = (outcome: Tree): boolean => Array.isArray(outcome) && outcome[0] === 'resolves';

/** A flag that is 0 or 1, as in programs that rely on a conversion. */
const numberAsFlag = /must be true or false, but is [01]\."$/;

/** Flags that npm `mongodb` converts itself, or ignores unless they are true or false. */
const convertedFlag =
  /^"The option \\"(?:promote\w+|useBigInt64|bsonRegExp|raw|checkKeys|ignoreUndefined|serializeFunctions|full|snapshot|causalConsistency|upsert|ordered|bypassDocumentValidation|singleBatch|oplogReplay|noCursorTimeout|tailable|awaitData|allowPartialResults)\\"/;

export const refusals: readonly Rule[] = [
  refuses(
    'an argument of a wrong type',
    'This driver rejects it when the method is called. npm `mongodb` sends it to the server, or fails while it uses it.',
    /^"(?:The argument .* must be|A (?:filter|replacement) must be a|A document to insert must|The method insertOne takes one|A pipeline must be|A sort cannot be|An index needs|A command needs|Each |Unknown bulk write operation|\w+\(\) needs a value)/,
  ),
  refuses(
    'options that are not an object',
    'This driver rejects them, because they often are a callback or an argument in the wrong place. npm `mongodb` ignores them.',
    /^"The options of an operation must be/,
  ),
  {
    name: 'an option of a wrong type in a call that succeeds',
    reason:
      'This driver rejects it when the method is called. npm `mongodb` or the server ignores or converts the value.',
    // A number for another flag could come from a working program.
    holds: ({ where, ours, theirs }) =>
      where === 'result' &&
      succeeds(theirs) &&
      /^"The option .* must be/.test(messageOf(ours)) &&
      (!numberAsFlag.test(messageOf(ours)) || convertedFlag.test(messageOf(ours))),
  },
  {
    name: 'an option of a wrong type',
    reason:
      'This driver rejects it when the method is called. npm `mongodb` sends it to the server, or fails while it uses it.',
    holds: ({ where, ours, theirs }) =>
      where === 'result' && !succeeds(theirs) && /^"The option .* must be/.test(messageOf(ours)),
  },
  refuses(
    'an invalid name',
    'This driver rejects a name that no server accepts. npm `mongodb` sends it.',
    /name of a (?:collection|database)|^"The name of |^"Each write of MongoClient/,
  ),
  refuses(
    'an update without operators, or a replacement with operators',
    'This driver rejects it when the call adds it to the bulk operation. npm `mongodb` sends some of them, and the server rejects or replaces.',
    /^"An update must contain operators|^"A replacement must not contain|^"All operators of the update/,
  ),
  refuses(
    'an unknown sort direction',
    'npm `mongodb` sends a direction that no server accepts.',
    /^"Unknown sort direction/,
  ),
  refuses(
    'an invalid read preference',
    'This driver rejects it. npm `mongodb` rejects it with another class, or does not use it.',
    /^"Unknown read preference/,
  ),
  refuses(
    'dropIndex("*")',
    'The specification of index management requires an error, because the server would drop all indexes.',
    /dropIndexes/,
  ),
  refuses(
    'a contradictory write concern',
    'The specification of write concerns requires an error for `w: 0` with `j: true`.',
    /is contradictory/,
  ),
  refuses(
    'a value that BSON cannot represent',
    'The error names the path of the value and is an error of the driver. npm `mongodb` throws the error of its BSON library.',
    /^"Cannot (?:write|encode|serialize)|checkKeys is set|could not be written/,
  ),
  {
    name: 'a more precise class',
    reason:
      'The error of this driver belongs to a subclass of the class of npm `mongodb`, so the same `instanceof` finds it.',
    holds: ({ where, ours, theirs }) => {
      const [mine, other] = [errorIn(ours), errorIn(theirs)];
      if (where !== 'result' || mine === undefined || other === undefined) return false;
      return mine.is !== other.is && classesOf(mine).includes(other.is);
    },
  },
];

export const leniencies: readonly Rule[] = [
  accepts(
    'allowDiskUse before sort',
    'The order of setters does not matter in this driver.',
    /"allowDiskUse\\" requires a sort/,
  ),
  accepts(
    'a batch size or sort of a tailable cursor',
    'The server decides whether a tailable cursor accepts the option.',
    /^"Tailable cursor does not support/,
  ),
  accepts(
    'a bulk operation before the client is connected',
    'This driver connects when the operation is executed. npm `mongodb` reads the limits of the server when it is created.',
    /must be connected to perform/,
  ),
  accepts(
    'a frozen document',
    'This driver does not need to add the `_id` to the document of the caller.',
    /not extensible/,
  ),
  accepts(
    'null in place of options',
    'This driver accepts it in every method. npm `mongodb` reads the members of null in findOne.',
    /^"Cannot destructure 'options' as it is null/,
  ),
  accepts(
    'withTransaction with a function that returns no promise',
    'The function may have nothing to await.',
    /must return a Promise/,
  ),
  accepts(
    'a bulk operation with a value that BSON cannot represent',
    'This driver encodes a bulk operation when it is executed, so the error comes later.',
    /must not (?:start with '\$'|contain '\.')|cannot be BSON documents|Cannot convert circular/,
  ),
  accepts(
    'an option of a cursor that is not valid',
    'This driver checks the value when it sends the command.',
    /^"Invalid (?:sort (?:direction|format)|read preference)/,
  ),
];

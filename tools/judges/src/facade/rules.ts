/** The reviewed differences between this driver and npm `mongodb`. */
import type { Described, Tree } from './describe.js';
import { textOfTree } from './describe.js';
import type { Difference } from './play.js';

export interface Rule {
  readonly name: string;
  /** Why this driver differs. */
  readonly reason: string;
  /** Whether this driver should be changed to agree with npm `mongodb`. */
  readonly isPending?: true;
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

/** Makes a rule for calls that this driver rejects with a message that matches. */
const refuses = (name: string, reason: string, message: RegExp): Rule => ({
  name,
  reason,
  holds: ({ where, ours }) => where === 'result' && message.test(memberOf(errorIn(ours), 'says')),
});

/** Makes a rule for calls that npm `mongodb` rejects with a message that matches, and this driver accepts. */
const accepts = (name: string, reason: string, message: RegExp): Rule => ({
  name,
  reason,
  holds: ({ where, ours, theirs }) =>
    where === 'result' && errorIn(ours) === undefined && message.test(memberOf(errorIn(theirs), 'says')),
});

/** Makes a rule for a place in commands, such as `find.limit`. The values must match as well. */
const sends = (name: string, reason: string, path: RegExp, ours = /^/, theirs = /^/): Rule => ({
  name,
  reason,
  holds: difference =>
    difference.where === 'command' &&
    path.test(`${difference.command ?? ''}${difference.path}`) &&
    ours.test(textOfTree(difference.ours)) &&
    theirs.test(textOfTree(difference.theirs)),
});

/** Makes a rule for a member of results, such as `coll.find.closed`. The path in the result must match as well. */
const returns = (name: string, reason: string, member: RegExp, path = /^/, ours = /^/, theirs = /^/): Rule => ({
  name,
  reason,
  holds: difference =>
    difference.where === 'result' &&
    member.test(difference.step.name) &&
    path.test(difference.path) &&
    ours.test(textOfTree(difference.ours)) &&
    theirs.test(textOfTree(difference.theirs)),
});

const refusals: readonly Rule[] = [
  refuses(
    'a value of a wrong type',
    'This driver rejects it when the method is called. npm `mongodb` ignores it, sends it to the server, or fails while it uses it.',
    /^"(?:The (?:option|argument) .* must be|The options of an operation must be|A (?:filter|replacement) must be a|A document to insert must|A pipeline must be|A sort cannot be|An index needs|A command needs|Each |Unknown bulk write operation|\w+\(\) needs a value)/,
  ),
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

const leniencies: readonly Rule[] = [
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
    'withTransaction with a function that returns no promise',
    'The function may have nothing to await.',
    /must return a Promise/,
  ),
  accepts(
    'an update pipeline without operators',
    'The server decides which stages are valid.',
    /^"Update document requires atomic operators/,
  ),
  accepts(
    'a bulk operation with a value that BSON cannot represent',
    'This driver encodes a bulk operation when it is executed, so the error comes later.',
    /must not start with '\$'|cannot be BSON documents|Cannot convert circular/,
  ),
  accepts(
    'an option of a cursor that is not valid',
    'This driver checks the value when it sends the command.',
    /^"Invalid (?:sort direction|read preference)/,
  ),
];

const commands: readonly Rule[] = [
  sends(
    'the default value of the server',
    'This driver omits the field, and the server uses the same value.',
    /\.(?:new|remove|upsert|authorizedCollections|dropTarget|bypassDocumentValidation|noCursorTimeout|singleBatch|limit|nameOnly|full|sort)$/,
    /^absent$/,
    /^(?:false|Int32\(0\)|\{\})$/,
  ),
  sends(
    'the name of buildInfo',
    'This driver sends the name of the documentation. The server accepts both names.',
    /^buildinfo$/,
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
    /^insert\.documents\[\d+\]\.length$/,
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
  sends(
    'an explicit session that is not used yet',
    'This driver takes a session from the pool for the first command, npm `mongodb` when the session starts.',
    /\.lsid$/,
    /session#/,
    /session#/,
  ),
  sends(
    'a write concern with only a number or a string',
    'This driver sends it as `w`. npm `mongodb` ignores it.',
    /\.writeConcern$/,
    /^\{w: /,
    /^absent$/,
  ),
  sends(
    'the options comment and maxTimeMS',
    'This driver sends them with every command that accepts them.',
    /\.(?:comment|maxTimeMS)$/,
    /^/,
    /^absent$/,
  ),
  sends(
    'a sort direction as text',
    'The sort stage of an aggregation cursor accepts the forms of find. npm `mongodb` sends the text, which the server rejects.',
    /\.\$sort/,
  ),
];

const others: readonly Rule[] = [
  {
    name: 'the types of a reply in events',
    reason:
      'The reply in an event has the types of the default options. npm `mongodb` decodes it with the options of the operation.',
    holds: ({ where, path, ours, theirs }) =>
      where === 'event' &&
      path.startsWith('.reply') &&
      (/^\{?(?:Long|Int32|Double|Buffer|object|\d+n)/.test(textOfTree(theirs)) || textOfTree(ours) !== 'absent'),
  },
  returns(
    'a property without a load balancer',
    'npm `mongodb` has a property that is false.',
    /\.loadBalanced$/,
    /^/,
    /^undefined$/,
    /^false$/,
  ),
  returns(
    'the reply of validate',
    'npm `mongodb` returns an internal object, which is not the reply.',
    /^admin\.validateCollection$/,
  ),
  returns('the options of a database', 'They are an internal object of npm `mongodb`.', /^db\.options$/),
  returns('the type of a change stream', 'It is an internal symbol of npm `mongodb`.', /^changes\.type$/),
  returns(
    'the options of an upload',
    'They are an internal object of npm `mongodb`.',
    /^upload\.(?:options|chunkSizeBytes)$/,
  ),
  returns(
    'the message about retryable writes',
    'npm `mongodb` adds its message to the reply of the server. In this driver the reply is unchanged.',
    /^/,
    /errorResponse\.message$/,
    /^absent$/,
    /retryable writes/,
  ),
];

const moreCommands: readonly Rule[] = [
  returns(
    'the message of the error of client.bulkWrite',
    'This driver names the first failed write. npm `mongodb` has a general message.',
    /^client\.bulkWrite$/,
    /errorResponse\.message$/,
    /^/,
    /^"Mongo client/,
  ),
  returns(
    'the writes that failed before the command that ended a bulk write',
    'The error of this driver lists them. That of npm `mongodb` has an empty list.',
    /^(?:coll\.bulkWrite|bulk\.execute)$/,
    /\.writeErrors$/,
    /^\[./,
    /^\[\]$/,
  ),
  returns(
    'the encoded writes of a bulk operation',
    'This driver encodes a write when it sends the write. npm `mongodb` also keeps the encoded writes in the batch.',
    /^bulk\.batches$/,
    /\.(?:serializedOperations|sizeBytes|currentIndex)$/,
  ),
  returns(
    'an _id that is null',
    'The CRUD specification requires that it is inserted as it is (create-null-ids). npm `mongodb` replaces it.',
    /^coll\.insert/,
    /insertedId/,
    /^null$/,
  ),
  sends(
    'the indexes of a bucket',
    'This driver checks them before the first chunk is written, npm `mongodb` when the stream is created.',
    /^(?:find|listIndexes|createIndexes)(?:\.(?:lsid|sort|limit|singleBatch))?$/,
    /^/,
    /fs\.|absent|^\{/,
  ),
  {
    name: 'the events of the indexes of a bucket',
    reason: 'This driver checks them before the first chunk is written, npm `mongodb` when the stream is created.',
    holds: ({ where, command = '', program }) =>
      where === 'event' &&
      /"(?:find|listIndexes|createIndexes)"$/.test(command) &&
      program.steps.some(({ name }) => name.startsWith('bucket.openUpload')),
  },
  sends(
    'the order of fields without a meaning',
    'The server reads these fields by name.',
    /(?:\$changeStream|\.explain) order$/,
  ),
  sends('an option that is null', 'This driver omits it.', /\.(?:filter|resumeAfter)$/, /^(?:absent|\{\})$/, /^null$/),
  sends(
    'a negative batch size',
    'This driver sends it, and the server rejects it. npm `mongodb` uses its absolute value as a limit.',
    /^find\.limit$/,
    /^absent$/,
    /^Int32/,
  ),
  sends(
    'options of clones',
    'A clone in this driver has the option that was set last.',
    /\.maxTimeMS$/,
    /^Int32/,
    /^Int32/,
  ),
  sends('the session of an unacknowledged write', 'It has no session in npm `mongodb`.', /\.lsid$/, /^/, /^absent$/),
  sends(
    'the write concern of an aborted upload',
    'This driver sends the write concern of the upload with the deletion of its chunks.',
    /^delete\.writeConcern$/,
    /^/,
    /^absent$/,
  ),
  sends(
    'a setter of a list cursor',
    'This driver applies the batch size that was set last.',
    /^(?:listIndexes|listCollections|aggregate|find)(?:\.cursor)?\.batchSize$/,
  ),
];

/** Marks a rule for a difference that a later version should remove. */
const pending = (rule: Rule): Rule => ({ ...rule, isPending: true });

const toChange: readonly Rule[] = [
  returns(
    'explain for an insert',
    'npm `mongodb` rejects the option.',
    /^coll\.insert/,
    /^/,
    /^/,
    /"explain\\" is not supported/,
  ),
  sends('explain for a count', 'npm `mongodb` rejects the option.', /^(?:count|insert|distinct)$/, /./, /^nothing$/),
  sends(
    'an unacknowledged insert',
    'It may reach the server after the program has ended.',
    /^insert$/,
    /^nothing$/,
    /Int32\(0\)\}/,
  ),
  returns(
    'a command with its own session',
    'npm `mongodb` replaces the field, this driver sends it.',
    /\.command$/,
    /^/,
    /ping\.lsid/,
  ),
  returns(
    'a change stream that was closed',
    'The class of the error, or no error.',
    /^changes\.(?:tryNext|next|hasNext)$/,
  ),
  returns(
    'the stages of an aggregation cursor',
    'This driver converts a sort when it is added.',
    /^aggregation\.pipeline$/,
  ),
  returns(
    'the values of an error with promoteValues',
    'npm `mongodb` does not convert them.',
    /^/,
    /errorResponse\.ok$/,
  ),
  returns('an upload that fails', 'The stream is destroyed before it reports the error.', /^upload\./),
  returns('isCapped of a missing collection', 'npm `mongodb` does not end with a read preference.', /^coll\.isCapped$/),
  returns('setters of a running command cursor', 'npm `mongodb` accepts them.', /^runCommand\.set/),
  returns('a tailable findOne', 'npm `mongodb` rejects it.', /^coll\.findOne$/, /^/, /^/, /TailableCursor/),
  returns('a session that ended in withTransaction', 'The class of the error.', /^session\.withTransaction$/),
  returns(
    'the message of an aggregation with two mistakes',
    'The server reports the first.',
    /^aggregation\./,
    /\.message$/,
  ),
  returns('the raw option', 'npm `mongodb` returns replies as bytes.', /^/, /\.\d+$/),
  returns(
    'promoteLongs with useBigInt64',
    'npm `mongodb` rejects the contradiction when the client is created.',
    /^/,
    /^/,
    /^/,
    /Must (?:either )?request either bigint|Must either request bigint/,
  ),
  sends(
    'the read preference of listIndexes',
    'npm `mongodb` sends it.',
    /^(?:listIndexes|listCollections)\.\$readPreference$/,
  ),
  sends('the options of an explained command', 'npm `mongodb` sends them with the command.', /^explain\.explain\./),
];
const pendings: readonly Rule[] = toChange.map(pending);

export const rules: readonly Rule[] = [
  ...refusals,
  ...leniencies,
  ...commands,
  ...moreCommands,
  ...others,
  ...pendings,
];

/** Differences in results, errors and events. */
import { textOfTree } from '../describe.js';
import { textOf } from '../program.js';
import { errorIn, has, inProgramsWith, memberOf, refuses, returns, sends, stepsWith } from './rule.js';
import type { Rule } from './rule.js';

export const others: readonly Rule[] = [
  {
    name: 'the types of a reply in events',
    reason:
      'The reply in an event has the types of the default options. npm `mongodb` decodes it with the options of the operation.',
    holds: ({ where, path, program }) =>
      where === 'event' && path.startsWith('.reply') && /promote|useBigInt64|raw|bsonRegExp/i.test(textOf(program)),
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
  returns(
    'the options of a database',
    'Those of npm `mongodb` contain the factory of ids that the driver uses by default, and have another order.',
    /^db\.options$/,
    /(?:\.pkFactory| order)$/,
    /^(?:absent$|\[)/,
    /^[{[]/,
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

export const explanations: readonly Rule[] = [
  inProgramsWith(
    'secondary',
    returns(
      'a list with the read preference secondary',
      'The specifications of listIndexes and listCollections require the primary. npm `mongodb` waits for a secondary.',
      /^(?:coll\.(?:options|isCapped|index\w+)|list\.|db\.)/,
      /^/,
      /^/,
      /^\[hangs\]$/,
    ),
  ),
  returns(
    'an index whose keys are bytes',
    'The server reports the first of two mistakes.',
    /createIndex$/,
    /\.message$/,
    /index key pattern/,
  ),
  inProgramsWith(
    'readConcernLevel',
    returns(
      'a change stream with readConcern and readConcernLevel in the options of a client',
      'Each driver has another order of precedence for the contradiction.',
      /^changes\./,
      /^/,
      /cannot run with a readConcern/,
    ),
  ),
  refuses('an unknown cursor flag', 'This driver checks the flag first.', /^"Unknown cursor flag/),
  refuses(
    'an empty client.bulkWrite with a wrong option',
    'This driver checks the list first.',
    /^"MongoClient\.bulkWrite needs at least one write/,
  ),
  {
    name: 'an empty bulk write with a wrong option',
    reason: 'This driver checks the list first. npm `mongodb` rejects the call, too.',
    holds: ({ ours, theirs }) =>
      memberOf(errorIn(ours), 'says').startsWith('"A bulk write needs at least one operation') &&
      errorIn(theirs) !== undefined,
  },
  {
    name: 'a bulk operation that ends at a value that BSON cannot represent',
    reason:
      'This driver reports the value. npm `mongodb` omits it, and reports a later write, which the server rejects.',
    holds: ({ step, path, ours, program }) =>
      step.name === 'bulk.execute' &&
      path === '[1].message' &&
      ours === 'absent' &&
      /Symbol|new Date\(NaN\)/.test(textOf(program)),
  },
  returns(
    'a hint that is bytes',
    'The server rejects it. npm `mongodb` sends an object with the indexes of the bytes as names.',
    /^(?:find|coll)\./,
    /^/,
    /Hint must be a string or an object/,
  ),
  inProgramsWith(
    'checkKeys: true',
    returns(
      'checkKeys in the options of execute',
      'This driver obeys it. npm `mongodb` obeys it only in the options of the bulk operation.',
      /^bulk\.execute$/,
      /\.(?:message|writeErrors)$/,
      /^(?:absent$|\[)/,
    ),
  ),
  returns(
    'a write concern that is not a document',
    'This driver reads it as `w` or ignores it. npm `mongodb` sends it.',
    /^/,
    /\.message$/,
    /^/,
    /writeConcern' is the wrong type/,
  ),
  inProgramsWith('w: 0', {
    name: 'the events of unacknowledged writes',
    reason: 'They may come after a later step.',
    holds: ({ where, command = '' }) => where === 'event' && /"(?:insert|update|delete)"$/.test(command),
  }),
  inProgramsWith(
    'raw: true',
    returns(
      'countDocuments and indexExists with the option raw',
      'A defect of npm `mongodb`: it does not find the count or the name in the bytes of the reply.',
      /(?:countDocuments|indexExists)$/,
      /^/,
      /^/,
      /^(?:0|false)$/,
    ),
  ),
  returns(
    'client.bulkWrite with a write concern in a transaction',
    'This driver rejects it with MongoTransactionError, as other writes. npm `mongodb` wraps the error.',
    /^client\.bulkWrite$/,
    /^/,
    /Cannot set write concern after/,
  ),
  refuses(
    'a write concern of a transaction that is the number 0',
    'This driver reads it as `w` and rejects it. npm `mongodb` ignores it.',
    /^"Transactions do not support unacknowledged/,
  ),
  inProgramsWith(
    '.close(',
    returns(
      'the documents of a cursor that was closed',
      'A closed cursor has none in this driver. In npm `mongodb`, toArray runs the command again.',
      /^(?:find|aggregation|list|runCommand)\./,
      /^/,
      /^\[\]$/,
      /^\[./,
    ),
  ),
  returns(
    'the place of an upsert in an unordered bulk write',
    'A defect of npm `mongodb`: it counts from the first write of the batch, not from the first of the list.',
    /^(?:coll\.bulkWrite|bulk\.execute)$/,
    /upsertedIds/,
  ),
  returns(
    'an empty level of a read concern',
    'This driver sends it, and the server rejects it. npm `mongodb` ignores it.',
    /^/,
    /^/,
    /readConcern\.level/,
  ),
  returns(
    'a stream after its end',
    'It is destroyed. npm `mongodb` destroys it later.',
    /^readable\.destroyed$/,
    /^/,
    /^true$/,
  ),
  returns(
    'the ids in the batches of a bulk operation',
    'This driver adds a new `_id` when it sends the write.',
    /^bulk\.batches$/,
    /\._id$/,
    /^(?:absent|undefined)$/,
    /^(?:ObjectId|"mine"$|5$)/,
  ),
  returns(
    'failed writes and a failed write concern',
    'The error of this driver names the first failed write. An unordered bulk write of npm `mongodb` ends at the write concern.',
    /^(?:bulk\.execute|coll\.bulkWrite|coll\.insertMany)$/,
    /\.message$/,
    /^/,
    /^"Not enough data-bearing/,
  ),
  returns(
    'a write concern with only a text, in the options of a command',
    'This driver sends it as `w`, and the server may reject it. npm `mongodb` ignores it.',
    /^/,
    /^/,
    /No write concern mode named|cannot use non-majority 'w' mode/,
  ),
  {
    name: 'writes to a document whose _id is null',
    reason:
      'The CRUD specification requires that it is inserted as it is (create-null-ids). npm `mongodb` replaces it, so later writes find other documents.',
    holds: ({ where, step, path, program }) =>
      where === 'result' &&
      /^(?:bulk\.execute|coll\.|find\.)/.test(step.name) &&
      (/(?:Count|\[1\]|\.message|writeErrors)$/.test(path) || (path === '' && step.name === 'bulk.execute')) &&
      stepsWith(program, /^(?:coll\.(?:insert|bulkWrite)|bulk\.(?:insert|raw))/, /_id: null/),
  },
  inProgramsWith(
    'w: 0',
    returns(
      'the counts of an unacknowledged write',
      'They are 0 in this driver, because their type is a number. npm `mongodb` returns undefined or NaN.',
      /^coll\./,
      /(?:Count|upsertedId)$/,
      /^(?:0|null)$/,
      /^(?:undefined|NaN|absent)$/,
    ),
  ),
  inProgramsWith(
    'w: 0',
    returns(
      'the result of an unacknowledged findOneAnd… method',
      'The value is null in this driver, as its type says. The result of npm `mongodb` has no value.',
      /^coll\.findOneAnd/,
      /\.(?:value|lastErrorObject)$/,
      /^(?:null|\{\})$/,
      /^absent$/,
    ),
  ),
  returns(
    'a mapper that returns a promise',
    'A function of map is synchronous. npm `mongodb` awaits some of the promises.',
    /^(?:find|aggregation)\./,
    /^/,
    /^promise$/,
  ),
  returns(
    'the write concern of a bulk operation as text',
    'This driver reads it as `w`. npm `mongodb` ignores it.',
    /^bulk\.writeConcern$/,
    /^/,
    /^WriteConcern/,
    /^undefined$/,
  ),
  returns(
    'the order of fields in a message about an index',
    'The server quotes the index. It reads its fields by name.',
    /[cC]reateIndex/,
    /\.message$/,
    /Index spec:/,
  ),
  returns(
    'arrayFilters of a replacement',
    'This driver sends the option, and the server rejects it. npm `mongodb` drops it.',
    /^coll\.(?:findOneAndReplace|replaceOne)$/,
    /^/,
    /arrayFilters may not be specified/,
  ),
  returns(
    'an option that the server does not know',
    'npm `mongodb` sends it, and the server rejects it. This driver sends the options of the method.',
    /^/,
    /^/,
    /^/,
    /is an unknown field/,
  ),
  returns(
    'an empty filter of listDatabases',
    'This driver sends the text, and the server rejects it. npm `mongodb` omits it.',
    /^admin\.listDatabases$/,
    /^/,
    /wrong type/,
  ),
  returns(
    'a transaction on a standalone',
    'This driver explains how to start a replica set. npm `mongodb` has the message of the server in some calls.',
    /^/,
    /\.message$/,
    /^"Transactions need a replica set/,
  ),
  returns(
    'the ids in the error of a bulk write',
    'A defect of npm `mongodb`: `insertedIds` contains documents that were not inserted.',
    /^(?:coll\.(?:bulkWrite|insertMany)|bulk\.execute|session\.withTransaction|client\.withSession)$/,
    /insertedIds/,
    /^(?:absent$|ObjectId#)/,
  ),
  inProgramsWith(
    'forceServerObjectId: true',
    returns(
      'forceServerObjectId in the options of execute',
      'This driver obeys it. npm `mongodb` generates the ids before, in the method insert.',
      /^bulk\.execute$/,
      /insertedIds/,
      /^undefined$/,
    ),
  ),
  refuses(
    'a session that has ended',
    'This driver rejects every use of it with MongoExpiredSessionError. npm `mongodb` accepts some uses, and has other classes for the rest.',
    /^"The session has ended/,
  ),
  {
    name: 'explain of a replacement',
    reason: 'The server explains it like an update. npm `mongodb` rejects the option.',
    holds: ({ step, theirs }) =>
      step.name === 'coll.replaceOne' && memberOf(errorIn(theirs), 'says').includes('"explain\\" is not supported'),
  },
  {
    name: 'a read preference that is a plain object',
    reason: 'This driver accepts it in every call. npm `mongodb` accepts it in some.',
    holds: ({ where, ours, theirs }) =>
      where === 'result' &&
      memberOf(errorIn(theirs), 'says').includes('must be a ReadPreference instance') &&
      // The server may reject the command.
      (errorIn(ours) === undefined || errorIn(ours)?.is === 'MongoServerError'),
  },
  {
    name: 'useBigInt64 with promoteLongs or promoteValues set to false',
    reason:
      'This driver rejects the contradiction before it sends the command. npm `mongodb` sends it, then throws the error of its BSON library.',
    holds: ({ ours, theirs }) =>
      memberOf(errorIn(ours), 'says').includes('reads int64 as bigint') ||
      /Must (?:either )?request (?:either )?bigint/.test(memberOf(errorIn(theirs), 'says')),
  },
  {
    name: 'an unacknowledged command that is not a write',
    reason: 'This driver waits for the reply, so the caller receives the error of the server.',
    holds: ({ where, step, ours, program }) =>
      where === 'result' &&
      has(program, 'w: 0') &&
      /rename|drop|create|removeUser|setProfilingLevel/i.test(step.name) &&
      errorIn(ours) !== undefined,
  },
  inProgramsWith(
    'promoteValues: false',
    returns(
      'numbers in results with promoteValues set to false',
      'Counts are numbers in this driver, as their type says. npm `mongodb` returns objects of its BSON library.',
      /^/,
      /(?:Count|\[1\])$/,
      /^-?\d+$/,
      /^(?:Int32|Double|Long)\(/,
    ),
  ),
  {
    name: 'the reply of an error with promoteValues set to false',
    reason:
      'The reply of an error has the types of the default options, so that its code can be compared with a number.',
    holds: ({ path, ours, theirs }) =>
      path.includes('errorResponse') &&
      /^-?\d+$/.test(textOfTree(ours)) &&
      /^(?:Int32|Double)/.test(textOfTree(theirs)),
  },
  inProgramsWith('snapshot: true', {
    name: 'a write in a snapshot session',
    reason: 'The server rejects it. This driver does not prepare a retry.',
    holds: ({ path, theirs }) => path === '.txnNumber' && textOfTree(theirs).startsWith('"transaction'),
  }),
  {
    name: 'the options skip and sort of a download',
    reason:
      'They have no effect, because the id or the revision selects one file. npm `mongodb` adds them to the selection.',
    holds: ({ step, program, command }) =>
      (command === 'find' || step.name.startsWith('download.')) &&
      program.steps.some(
        ({ name, args = [] }) =>
          name.startsWith('bucket.openDownload') &&
          args.some(given => typeof given === 'object' && ('skip' in given || 'sort' in given)),
      ),
  },
  returns(
    'the stages of an aggregation cursor',
    'This driver converts a sort to a Map when it is added, so that numeric names keep their order.',
    /^aggregation\.pipeline$/,
    /\$sort/,
    /^Map/,
  ),
  {
    name: 'an aggregation with two mistakes',
    reason:
      'npm `mongodb` sends the argument of the method sort without conversion. The server reports the first mistake.',
    holds: ({ theirs, path, program }) =>
      path.endsWith('.message') && textOfTree(theirs).includes('$sort') && has(program, '.sort('),
  },
  returns(
    'the next change of a stream that was closed',
    'Every method of a closed stream is rejected, so that a loop ends. In npm `mongodb`, some return null.',
    /^changes\.(?:tryNext|next|hasNext)$/,
    /^/,
    /ChangeStream is closed|MongoAPIError/,
  ),
  returns(
    'a tailable findOne',
    'A cursor of findOne ends after one document. npm `mongodb` rejects the option.',
    /^coll\.findOne$/,
    /^/,
    /^/,
    /TailableCursor/,
  ),
  returns(
    'setters of a running command cursor',
    'A setter after the first read has no effect on its command, so this driver rejects it, as other cursors do.',
    /^runCommand\.set/,
    /^/,
    /MongoCursorInUseError/,
  ),
  returns(
    'an id that cannot become text',
    'The error of this driver names the type of the id. npm `mongodb` throws the error of the conversion.',
    /^bucket\.(?:rename|delete)$/,
    /^\[1\]$/,
    /id of the type object not found/,
    /Cannot convert object to primitive value/,
  ),
  returns('an upload that fails', 'npm `mongodb` destroys the stream before it reports the error.', /^upload\./),
  returns(
    'a command with its own session',
    'This driver sends the field as the caller wrote it. npm `mongodb` replaces it.',
    /\.command$/,
    /^/,
    /lsid/,
  ),
  returns(
    'the options of BSON of a bulk operation',
    'They contain checkKeys, which the operation uses.',
    /bsonOptions$/,
    /\.checkKeys$/,
  ),
  sends(
    'a batch size of zero in a getMore',
    'This driver omits it, and the server uses its default.',
    /^getMore\.batchSize$/,
    /^absent$/,
    /^Int32\(0\)$/,
  ),
  {
    name: 'raw errors and upserts',
    reason:
      'A defect of npm `mongodb`: with the option raw, it reads documents inside the reply as bytes, so fields of errors and upserts are missing.',
    holds: ({ where, path, ours, theirs, program }) =>
      where === 'result' &&
      has(program, 'raw: true') &&
      (/errorResponse|NaN|upserted/.test(path) ||
        // The members of the error are the bytes of a document.
        (/^\[1\]\.\d+$/.test(path) && textOfTree(ours) === 'absent') ||
        (textOfTree(theirs).includes('Buffer') && !textOfTree(ours).includes('Buffer'))),
  },
  returns(
    'times in the bytes of a reply',
    'The reply contains the time of the server, which differs from run to run.',
    /^admin\./,
    /^/,
    /^Buffer/,
    /^Buffer/,
  ),
  {
    name: 'setters before clone',
    reason:
      'A clone in this driver has all options of its cursor. A clone in npm `mongodb` loses those of some setters.',
    holds: ({ where, command = '', step, path, ours, program }) =>
      // The setters whose options npm `mongodb` does not copy.
      stepsWith(
        program,
        /\.(?:withReadPreference|withReadConcern|addCursorFlag|batchSize|maxTimeMS|maxAwaitTimeMS|setBatchSize)$/,
      ) &&
      has(program, '.clone()') &&
      (where === 'command'
        ? /^(?:find|aggregate|count|explain|getMore)$/.test(command) &&
          (textOfTree(ours) === 'nothing' ||
            /readConcern|readPreference|noCursorTimeout|tailable|awaitData|[bB]atchSize|axTimeMS/.test(path))
        : where === 'result' &&
          /^(?:find|aggregation|list|readable)\./.test(step.name) &&
          (/\.read(?:Concern|Preference)$/.test(step.name) ||
            errorIn(ours) !== undefined ||
            path.endsWith('.message') ||
            textOfTree(ours).includes('hangs'))),
  },
];

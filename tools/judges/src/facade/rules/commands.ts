/** Differences in the commands that a server receives. */
import { textOf } from '../program.js';
import { has, inProgramsWith, returns, sends } from './rule.js';
import type { Rule } from './rule.js';

export const commands: readonly Rule[] = [
  sends(
    'the default value of the server',
    'This driver omits the field, and the server uses the same value.',
    /\.(?:new|remove|upsert|authorizedCollections|dropTarget|bypassDocumentValidation|noCursorTimeout|singleBatch|limit|nameOnly|full|sort|oplogReplay|tailable|awaitData|exhaust|partial|projection)$/,
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
    /data: Binary/,
    /data: Binary/,
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

export const moreCommands: readonly Rule[] = [
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
    /^(?:coll\.insert|bulk\.execute|coll\.bulkWrite)/,
    /insertedId/,
    /^null$/,
  ),
  sends(
    'the indexes of a bucket',
    'This driver checks them before the first chunk is written, npm `mongodb` when the stream is created.',
    /^(?:find|listIndexes|createIndexes)(?:\.(?:find|lsid|sort|limit|singleBatch|(?:filter|projection).*))?$/,
    /^/,
    /fs\.|absent|^\{/,
  ),
  inProgramsWith(
    'openUpload',
    sends(
      'the read preference of the check of the indexes',
      'The GridFS specification requires the primary for this check.',
      /^find\.\$readPreference$/,
      /^absent$/,
      /^\{mode/,
    ),
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
  sends(
    'checkKeys in the options of createCollection',
    'This driver checks the keys. npm `mongodb` sends the option, which the command does not have.',
    /^create\.checkKeys$/,
    /^absent$/,
  ),
  sends(
    'a flag that is 0 or 1',
    'This driver sends it. npm `mongodb` sends these flags only if they are true or false.',
    /\.(?:returnKey|showRecordId|allowDiskUse)$/,
    /^(?:Int32|Double)\(-?[01]\)$/,
    /^absent$/,
  ),
  sends(
    'an option that is null',
    'This driver omits it.',
    /\.(?:filter|resumeAfter|sort|startAtOperationTime)$/,
    /^(?:absent|\{\})$/,
    /^null$/,
  ),
  sends(
    'a negative batch size',
    'This driver sends it, and the server rejects it. npm `mongodb` uses its absolute value as a limit.',
    /^find\.limit$/,
    /^absent$/,
    /^Int32/,
  ),
  inProgramsWith(
    '.maxTimeMS(',
    sends(
      'maxTimeMS in the options of a cursor and by its setter',
      'This driver uses the value that was set last. npm `mongodb` keeps the value in the options.',
      /\.maxTimeMS$/,
      /^Int32/,
      /^Int32/,
    ),
  ),
  {
    name: 'a comment in the options of a cursor and by its setter',
    reason:
      'This driver sends the value that was set last. npm `mongodb` keeps the value in the options. Those of a clone contain the value of the setter.',
    holds: ({ where, command = '', path, ours, theirs, program }) =>
      where === 'command' &&
      /^(?:find|getMore)\.comment\b/.test(`${command}${path}`) &&
      ours !== 'absent' &&
      theirs !== 'absent' &&
      has(program, '.comment(') &&
      /comment: |\.clone\(\)/.test(textOf(program)),
  },
  inProgramsWith(
    'openUpload',
    sends(
      'a file whose id is 0 or empty',
      'A defect of npm `mongodb`: it replaces an id that is falsy.',
      /(?:files_id|\._id)$/,
      /^(?:Double\(-?0\)|Int32\(0\)|""|false|null)$/,
      /^ObjectId/,
    ),
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

export const ids: readonly Rule[] = [
  inProgramsWith(
    'pkFactory',
    sends(
      'pkFactory in the options of a collection',
      'This driver uses it. npm `mongodb` uses only that of a client or a database.',
      /^insert\.documents\[\d+\]\._id$/,
      /^/,
      /^ObjectId/,
    ),
  ),
  sends(
    'an ObjectId as the filter of a cursor that counts',
    'It selects the document with this `_id`, as in a find. npm `mongodb` sends it, and the server rejects it.',
    /^count\.query$/,
    /^\{_id: ObjectId/,
    /^ObjectId/,
  ),
  sends(
    'the place of a new _id',
    'This driver writes it first, as the server stores it. npm `mongodb` appends it to the document of the caller.',
    /^insert\.documents\[\d+\] order$/,
    /^\[_id/,
  ),
  sends(
    'the _id of a document with the method toBSON',
    'A defect of npm `mongodb`: it adds the `_id` to the object, whose method toBSON omits it, so `insertedId` belongs to no document.',
    /^insert\.documents\[\d+\]\._id$/,
    /^ObjectId/,
    /^absent$/,
  ),
  sends(
    'an _id that is null in the command',
    'The CRUD specification requires that it is inserted as it is (create-null-ids). npm `mongodb` replaces it.',
    /^insert\.documents\[\d+\]\._id$/,
    /^null$/,
    /^/,
  ),
  inProgramsWith(
    'forceServerObjectId: true',
    sends(
      'forceServerObjectId of execute in the command',
      'This driver obeys it. npm `mongodb` generates the ids before, in the method insert.',
      /^insert\.documents\[\d+\]\._id$/,
      /^absent$/,
      /^ObjectId/,
    ),
  ),
];

export const specified: readonly Rule[] = [
  sends(
    'the number of a file in the report',
    'The report numbers new ids in the order in which they appear. npm `mongodb` checks the indexes of a bucket earlier.',
    /files_id/,
    /^ObjectId#/,
    /^ObjectId#/,
  ),
  sends(
    'the option cursor that is not a plain object',
    'This driver reads the batch size in it. npm `mongodb` sends its other fields.',
    /^aggregate\.cursor\./,
    /^absent$/,
  ),
  sends(
    'readConcern and readConcernLevel in the options of a client',
    'Each driver has another order of precedence for the contradiction.',
    /\.readConcern\.level$/,
  ),
  inProgramsWith(
    'readConcern: {}',
    sends(
      'an empty read concern of a transaction',
      'It inherits the default of the session in this driver.',
      /\.readConcern$/,
      /^\{level/,
      /^absent$/,
    ),
  ),
  sends(
    'the read preference of runCursorCommand and listSearchIndexes',
    'The specification of run command requires it. npm `mongodb` omits it.',
    /^(?:find|aggregate|listCollections|listIndexes)\.\$readPreference$/,
    /^\{mode/,
    /^absent$/,
  ),
  sends(
    'the deletion of an aborted upload with the write concern 0',
    'An unacknowledged write has no session. npm `mongodb` sends the deletion without the write concern.',
    /^delete\.lsid$/,
    /^absent$/,
  ),
  sends(
    'the getMores of a stream that waits',
    'Their number depends on time.',
    /^getMore$/,
    /^nothing$|getMore/,
    /^nothing$|getMore/,
  ),
  inProgramsWith(
    'writeConcern: {}',
    sends(
      'an empty write concern',
      'The specification of write concerns lets it restore the default of the server. npm `mongodb` keeps the inherited one.',
      /\.writeConcern$/,
      /^absent$/,
      /^\{/,
    ),
  ),
  sends(
    'wtimeout of the first commit or abort',
    'The specification of transactions requires it only if a commit is repeated.',
    /^(?:commit|abort)Transaction\.writeConcern\.wtimeout$/,
    /^absent$/,
    /10000/,
  ),
  {
    name: 'w of the first commit or abort',
    reason: 'The specification of transactions requires `majority` only if a commit is repeated.',
    holds: ({ where, command = '', path, ours, theirs, program }) =>
      where === 'command' &&
      /^(?:commit|abort)Transaction\.writeConcern\.w$/.test(`${command}${path}`) &&
      ours === 'absent' &&
      theirs === '"majority"' &&
      // The driver must send the value of the program.
      !/w: ?'majority'|writeConcern: 'majority'/.test(textOf(program)),
  },
  sends(
    'listIndexes or listCollections with the read preference secondary',
    'The specifications of these commands require the primary. npm `mongodb` waits for a secondary.',
    /^(?:listIndexes|listCollections)$/,
    /^\{list/,
    /^nothing$/,
  ),
  sends(
    'an unacknowledged write',
    'It may reach the server after a later command, which uses another connection.',
    /^(?:insert|update|delete)$/,
    /^nothing$|w: Int32\(0\)/,
    /^nothing$|w: Int32\(0\)/,
  ),
  sends(
    'cursor flags without effect',
    'The server ignores oplogReplay, exhaust and partial in this command, so this driver omits them.',
    /^find\.(?:oplogReplay|exhaust|partial|allowPartialResults)$/,
    /^absent$/,
  ),
  sends(
    'an empty read concern',
    'The specification of read concerns lets it restore the default of the server. npm `mongodb` keeps the inherited one.',
    /\.readConcern$/,
    /^absent$/,
    /^\{level/,
  ),
  sends(
    'a missing revision of a file',
    'This driver asks whether the file has other revisions, and says so in the error (GridFS, "FileNotFound and RevisionNotFound").',
    /^./,
    /^\{find: "fs\.files".*projection/,
  ),
  sends(
    'bypassDocumentValidation: false',
    'The CRUD specification requires that the value is sent (bypassDocumentValidation). npm `mongodb` omits it in a bulk write.',
    /\.bypassDocumentValidation$/,
    /^false$/,
    /^absent$/,
  ),
  sends(
    'the read preference of listIndexes, listCollections and listSearchIndexes',
    'The specifications of these commands require the primary.',
    /^(?:listIndexes|listCollections|aggregate)\.\$readPreference$/,
    /^absent$/,
  ),
  sends(
    'an inherited write concern',
    'The specification of write concerns requires that the command inherits it. npm `mongodb` omits it.',
    /^(?!explain).*\.writeConcern$/,
    /^\{/,
    /^absent$/,
  ),
  sends(
    'the options of an explained command',
    'An explained command does not run. This driver sends it without concerns, comment and time limit; maxTimeMS limits the explanation.',
    /^explain(?:\.explain)?\.(?:comment|readConcern|writeConcern|maxTimeMS|bypassDocumentValidation|cursor\.batchSize)$/,
  ),
];

/**
 * The Stable API: which commands, fields and stages belong to it. Rule: "Stable API", and the specification Versioned
 * API.
 */
import type { Doc, Value } from '@tessera/mql/engine';
import { CommandError, fail, isArray, isAtLeast, isDoc } from '@tessera/mql/engine';
import type { Namespace } from '@tessera/store';
import { isView } from '@tessera/store';
import type { Command, ServerState } from './command.js';

type Given = Readonly<Record<string, unknown>>;

/** Fields of commands that are not part of the API. */
const unstableFields: Readonly<Record<string, readonly string[]>> = {
  find: 'awaitData max min noCursorTimeout oplogReplay returnKey showRecordId tailable'.split(' '),
  aggregate: ['explain', 'exchange', 'collectionUUID'],
  listCollections: ['includePendingDrops'],
  create: 'autoIndexId capped flags indexOptionDefaults max size storageEngine temp'.split(' '),
};

const unstableIndexOptions = ['background', 'bucketSize', 'sparse', 'storageEngine'];

/** Commands that do not need an `apiVersion` if the server requires one. */
const handshakes: ReadonlySet<string> = new Set(['hello', 'isMaster']);

const writing: ReadonlySet<string> = new Set(['insert', 'update', 'delete', 'findAndModify']);

const notAllowed = (where: string): Error =>
  fail('APIStrictError', `BSON field '${where}' is not allowed with apiStrict:true.`);

const checkIndexes = (indexes: Value | undefined): void => {
  for (const spec of isArray(indexes) ? indexes.filter(isDoc) : []) {
    const option = unstableIndexOptions.find(name => spec.has(name));
    if (option !== undefined) throw notAllowed(`createIndexes.indexes.${option}`);
    const key = spec.get('key');
    const isText = isDoc(key) && key.entries().some(([, value]) => value === 'text');
    if (isText) throw fail('APIStrictError', 'The index type is not allowed with apiStrict:true.');
  }
};

/** Whether the command is in the API. `count` was added in 5.0.9. */
const isStable = ({ name, stable }: Command, { engine }: ServerState): boolean =>
  stable && (name !== 'count' || isAtLeast(engine.version, '5.0.9'));

const unstableStages: ReadonlySet<string> = new Set(
  `$changeStreamSplitLargeEvent $currentOp $indexStats $listLocalSessions $listSessions $planCacheStats $search $searchMeta
  $vectorSearch $listSearchIndexes $listCatalog $listClusterCatalog $queryStats $shardedDataDistribution`.split(/\s+/),
);

const innerPipelines = (spec: Value): readonly (readonly Value[])[] => {
  if (!isDoc(spec)) return [];
  const lists = spec.entries().map(([, value]) => value);
  return lists
    .filter(isArray)
    .filter(list => list.some(item => isDoc(item) && item.keys()[0]?.startsWith('$') === true));
};

/** Checks the stages of a pipeline. Only the count of `$collStats` is in the API. @throws CommandError 323 */
const checkStableStages = (stages: readonly Value[]): void => {
  for (const stage of stages) {
    const [name, spec] = isDoc(stage) ? (stage.entries()[0] ?? ['', null]) : ['', null];
    if (unstableStages.has(name))
      throw fail('APIStrictError', `stage ${name} is not allowed with 'apiStrict: true' in API Version 1`);
    const more = name === '$collStats' && isDoc(spec) ? spec.keys().find(key => key !== 'count') : undefined;
    if (more !== undefined)
      throw fail(
        'APIStrictError',
        `the parameter '${more}' of $collStats is not allowed with 'apiStrict: true' in API Version 1`,
      );
    innerPipelines(spec).forEach(checkStableStages);
  }
};

/** Returns the errors that the metadata of a collection or view would cause with `apiStrict: true`. */
export const errorsOfMetadata = (namespace: Namespace): readonly CommandError[] => {
  const checks = isView(namespace)
    ? [() => checkStableStages(namespace.pipeline)]
    : namespace.indexes.map(
        ({ definition }) =>
          () =>
            checkIndexes([definition.spec]),
      );
  return checks.flatMap(check => {
    try {
      check();
      return [];
    } catch (error) {
      if (error instanceof CommandError) return [error];
      throw error;
    }
  });
};

const checkStrict = (command: Command, body: Doc): void => {
  const field = unstableFields[command.name]?.find(name => body.has(name));
  if (field !== undefined) throw notAllowed(`${command.name}.${field}`);
  if (command.name === 'createIndexes') checkIndexes(body.get('indexes'));
  const index = body.get('index');
  if (command.name === 'collMod' && isDoc(index) && index.has('prepareUnique'))
    throw notAllowed('collMod.index.prepareUnique');
  if (writing.has(command.name) && body.entries()[0]![1] === 'system.js')
    throw fail('APIStrictError', `Cannot perform ${command.name} on system.js with apiStrict:true.`);
  const pipeline = body.get('pipeline');
  if (isArray(pipeline)) checkStableStages(pipeline);
};

/**
 * Checks the API fields of a command. Version 2 is accepted if test commands are enabled: mongod's `acceptApiVersion2`.
 * @throws CommandError 322, 323, 324, 498870, 4886600
 */
export const checkApi = (command: Command, body: Doc, given: Given, server: ServerState): void => {
  const { apiVersion, apiStrict, apiDeprecationErrors } = given;
  const {
    testCommands,
    engine: { parameters },
  } = server;
  if (apiVersion === undefined) {
    if (apiStrict !== undefined || apiDeprecationErrors !== undefined) {
      throw fail(4886600, 'Provided apiStrict and/or apiDeprecationErrors without passing apiVersion');
    }
    if (parameters.is('requireApiVersion') && !handshakes.has(command.name))
      throw fail(498870, "The apiVersion parameter is required, please configure your MongoClient's API version");
    return;
  }
  const isSecond = apiVersion === '2' && testCommands;
  if (apiVersion !== '1' && !isSecond)
    throw fail('APIVersionError', `API version must be ${testCommands ? 'either "1" or "2"' : '"1"'}`);
  const inApi = isSecond ? command.inVersion2 !== undefined : isStable(command, server);
  if (apiStrict === true && !inApi) {
    const message = `the command ${command.name} is not in API Version ${apiVersion}`;
    throw fail('APIStrictError', `Provided apiStrict:true, but ${message}`);
  }
  if (apiStrict === true) checkStrict(command, body);
  if (apiDeprecationErrors === true && isSecond && command.inVersion2 === 'deprecated') {
    const message = `the command ${command.name} is deprecated in API Version 2`;
    throw fail('APIDeprecationError', `Provided apiDeprecationErrors:true, but ${message}`);
  }
};

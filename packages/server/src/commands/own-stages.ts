import type { OwnStage, Pipeline, Value } from '@tessera/mql/engine';
import { DateValue, Doc, fail, isArray, isDoc, parsePipeline, typeName } from '@tessera/mql/engine';
import { checkCluster } from '../auth/access.js';
import { digestsIn, isOwnOf, withUser } from '../auth/session-keys.js';
import type { Language } from '../engine/language.js';
import { geoIndexesOf, textIndexOf, usesOf } from '@tessera/store';
import type { Resolved } from '../engine/pipeline.js';
import { resolve } from '../engine/pipeline.js';
import { textAnalysis } from '../engine/text-index.js';
import { searchStages } from '../search/stages.js';
import { listCatalog, listClusterCatalog } from './catalog-stages.js';
import type { Call } from './command.js';
import { valueOf } from './command.js';
import { operationsUnderWay } from './current-op.js';

/** Rejected elsewhere if it is not the first stage. As the first stage it opens a change stream and never gets here. */
const changeStream: OwnStage = () => () => [];

const splitLargeEvent: OwnStage = () => {
  throw fail('IllegalOperation', '$changeStreamSplitLargeEvent can only be used in a $changeStream pipeline');
};

/**
 * Returns a predicate for the digests of users whose sessions are listed: the client's own users, unless the stage
 * requests others.
 * @throws CommandError 13, 72
 */
const shownTo = (call: Call, name: string, spec: Doc): ((user: string) => boolean) => {
  const { server, client } = call;
  const isOwn = isOwnOf(server, client);
  const users = spec.get('users');
  const asksForAll = spec.get('allUsers') === true;
  if (asksForAll && users !== undefined)
    throw fail('InvalidOptions', `${name} may not specify {allUsers:true} and {users:[...]} at the same time`);
  if (asksForAll) return () => true;
  if (!isArray(users)) return isOwn;
  const requested = new Set(digestsIn(server.auth, users));
  if (![...requested].every(isOwn)) checkCluster(call, 'listSessions');
  return user => requested.has(user);
};

const sessions =
  (name: string) =>
  (call: Call): OwnStage =>
  spec => {
    if (!isDoc(spec)) {
      throw fail('TypeMismatch', `${name} options must be specified in an object, but found: ${typeName(spec)}`);
    }
    if (name === '$listSessions' && (call.db !== 'config' || call.target !== 'system.sessions')) {
      throw fail('InvalidNamespace', '$listSessions may only be run against config.system.sessions');
    }
    if (name === '$listLocalSessions' && typeof call.target === 'string')
      throw fail('InvalidNamespace', `'${name}' can only be run with {aggregate: 1}`);
    const isShown = shownTo(call, name, spec);
    return () =>
      [...call.engine.sessions]
        .filter(({ user }) => isShown(user))
        .map(({ id, user, lastUse }) =>
          Doc.of([
            ['_id', withUser(Doc.of([['id', id]]), user)],
            ['lastUse', new DateValue(lastUse)],
          ]),
        );
  };

const currentOp =
  (call: Call): OwnStage =>
  spec => {
    if (!isDoc(spec)) {
      throw fail('FailedToParse', `$currentOp options must be specified in an object, but found: ${typeName(spec)}`);
    }
    if (call.db !== 'admin' || typeof call.target === 'string') {
      throw fail('InvalidNamespace', "$currentOp must be run against the 'admin' database with {aggregate: 1}");
    }
    const allUsers = spec.get('allUsers') ?? false;
    if (typeof allUsers !== 'boolean')
      throw fail(
        'FailedToParse',
        `The 'allUsers' parameter of the $currentOp stage must be a boolean value, but found: ${typeName(allUsers)}`,
      );
    return () => operationsUnderWay(call, 'admin.$cmd.aggregate', allUsers);
  };

const indexStats =
  (call: Call, { base }: Resolved): OwnStage =>
  () =>
  () =>
    (base?.indexes ?? []).map(({ definition }) => {
      const { count, since = call.engine.startedAtWall } = usesOf(definition);
      return Doc.of([
        ['name', definition.name],
        ['key', definition.key],
        ['host', call.server.address],
        [
          'accesses',
          Doc.of([
            ['ops', BigInt(count)],
            ['since', new DateValue(since)],
          ]),
        ],
        ['spec', definition.spec],
      ]);
    });

/** Returns no documents, because plans are not cached. */
const planCacheStats =
  (_call: Call, { base, baseNs }: Resolved): OwnStage =>
  spec => {
    if (!isDoc(spec)) {
      throw fail('FailedToParse', `$planCacheStats value must be an object. Found: ${typeName(spec)}`);
    }
    return () => {
      if (base !== undefined) return [];
      throw fail(50933, `$planCacheStats cannot be executed on nonexistent collection: ${baseNs}`);
    };
  };

/** Stages that report on the server instead of reading documents, by name. */
export const ownStages: ReadonlyMap<string, (call: Call, resolved: Resolved) => OwnStage> = new Map<
  string,
  (call: Call, resolved: Resolved) => OwnStage
>([
  ['$changeStream', () => changeStream],
  ['$changeStreamSplitLargeEvent', () => splitLargeEvent],
  ['$currentOp', currentOp],
  ['$indexStats', indexStats],
  ['$listCatalog', listCatalog],
  ['$listClusterCatalog', listClusterCatalog],
  ['$listLocalSessions', sessions('$listLocalSessions')],
  ['$listSessions', sessions('$listSessions')],
  ['$planCacheStats', planCacheStats],
]);

/** Compiles the stages of an aggregation after those of the view that it reads. @throws CommandError */
export const compilePipeline = (
  call: Call,
  resolved: Resolved,
  stages: readonly Value[],
  { collation, variables, scripts, context: { text, geo } }: Language,
): Pipeline => {
  const value = valueOf(call);
  const ofSearch = call.server.search === undefined ? [] : [...searchStages];
  const ownOf = (of: Resolved): ReadonlyMap<string, OwnStage> =>
    new Map([
      ...[...ownStages].map(([name, create]): [string, OwnStage] => [name, create(call, of)]),
      ...ofSearch.map(([name, create]): [string, OwnStage] => [name, create({ call, resolved: of, value })]),
    ]);
  return parsePipeline([...resolved.stages, ...stages], {
    ...{ collation, variables, scripts, text, geo, ownStages: ownOf(resolved) },
    foreign: name => {
      const found = resolve(value, `${call.db}.${name}`);
      const base = found.stages.length === 0 ? found.base : undefined;
      return { text: textIndexOf(base, textAnalysis()), geo: geoIndexesOf(base), ownStages: ownOf(found) };
    },
  });
};

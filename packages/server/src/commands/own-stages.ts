import type { OwnStage } from '@tessera/mql/engine';
import { DateValue, Doc, fail, isDoc, typeName } from '@tessera/mql/engine';
import type { Resolved } from '../engine/pipeline.js';
import type { Call } from './command.js';
import { operationsUnderWay } from './current-op.js';

/** Where it is the first stage the pipeline never comes here: this one is in a wrong place, which is checked by others. */
const changeStream: OwnStage = () => () => [];

const splitLargeEvent: OwnStage = () => {
  throw fail('IllegalOperation', '$changeStreamSplitLargeEvent can only be used in a $changeStream pipeline');
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
    return () =>
      [...call.engine.sessions].map(({ id, lastUse }) =>
        Doc.of([
          ['_id', Doc.of([['id', id]])],
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
    return () => operationsUnderWay(call, 'admin.$cmd.aggregate');
  };

const indexStats =
  (call: Call, { base }: Resolved): OwnStage =>
  () =>
  () =>
    (base?.indexes ?? []).map(({ definition }) =>
      Doc.of([
        ['name', definition.name],
        ['key', definition.key],
        ['host', call.server.address],
        [
          'accesses',
          Doc.of([
            ['ops', 0n],
            ['since', new DateValue(call.engine.clock.wallTime())],
          ]),
        ],
        ['spec', definition.spec],
      ]),
    );

/** Plans are made anew each time: there is no cache to tell of. */
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

/** Stages that read the server and not its documents, by their names. */
export const ownStages: ReadonlyMap<string, (call: Call, resolved: Resolved) => OwnStage> = new Map<
  string,
  (call: Call, resolved: Resolved) => OwnStage
>([
  ['$changeStream', () => changeStream],
  ['$changeStreamSplitLargeEvent', () => splitLargeEvent],
  ['$currentOp', currentOp],
  ['$indexStats', indexStats],
  ['$listLocalSessions', sessions('$listLocalSessions')],
  ['$listSessions', sessions('$listSessions')],
  ['$planCacheStats', planCacheStats],
]);

export const ownStagesFor = (call: Call, resolved: Resolved): ReadonlyMap<string, OwnStage> =>
  new Map([...ownStages].map(([name, create]) => [name, create(call, resolved)]));

/** Runs operations. Rule: Unified Test Format, "Executing an Operation". */
import { Collection, Db } from '@tessera/client';
import type { Document } from '@tessera/contracts';
import { CursorEntity } from './cursor-entity.js';
import { judgeError } from './errors.js';
import type { Operation } from './format.js';
import { match, matchAll, nested, root } from './match.js';
import { checkNames, RunnerError } from './names.js';
import { ObservedClient } from './observed-client.js';
import { onBuckets } from './operations/bucket.js';
import { onClients } from './operations/client.js';
import { onCollections } from './operations/collection.js';
import { onCursors } from './operations/cursor.js';
import { onDatabases } from './operations/database.js';
import { onSessions } from './operations/session.js';
import { callOf } from './operations/table.js';
import type { Call, Yields } from './operations/table.js';
import { ofTestRunner } from './operations/test-runner.js';
import { SessionEntity } from './session-entity.js';
import type { Stage } from './stage.js';
import { plainResult } from './plain-result.js';

const keys = [
  ...['name', 'object', 'arguments', 'expectError', 'expectResult', 'ignoreResultAndError', 'saveResultAsEntity'],
];

/** Checks the keys of an operation. @throws RunnerError if a key is unknown or keys contradict each other */
const check = (operation: Operation): void => {
  checkNames('an operation', operation, keys);
  const { name, ignoreResultAndError, expectError, expectResult, saveResultAsEntity } = operation;
  const judged = expectResult !== undefined || saveResultAsEntity !== undefined;
  if ((ignoreResultAndError === true && (judged || expectError !== undefined)) || (expectError !== undefined && judged))
    throw new RunnerError(`The expectations of ${name} contradict each other.`);
};

/** Replaces the session's name with the session. */
const withSession = (stage: Stage, given: Document): Document =>
  given['session'] === undefined
    ? given
    : { ...given, session: stage.entities.session(given['session'] as string).session };

const entityCall = (stage: Stage, { name, object, arguments: given = {} }: Operation): Call => {
  const entity = stage.entities.get(object);
  const withIt = withSession(stage, given);
  if (entity instanceof ObservedClient) return callOf('client', onClients, entity.client, name, withIt);
  if (entity instanceof Db) return callOf('database', onDatabases, entity, name, withIt);
  if (entity instanceof Collection) return callOf('collection', onCollections, entity, name, withIt);
  if (entity instanceof SessionEntity) {
    const inner = async (operation: Operation): Promise<void> => {
      const error = await runOperation(stage, operation);
      if (error !== undefined) throw error;
    };
    return callOf('session', onSessions(inner), entity, name, withIt);
  }
  if (entity instanceof CursorEntity) return callOf('cursor', onCursors, entity, name, withIt);
  if ('bucket' in entity) return callOf('bucket', onBuckets, entity.bucket, name, withIt);
  throw new RunnerError(`The entity "${object}" has no operations.`);
};

const runnerCall = (stage: Stage, { name, arguments: given = {} }: Operation): Call => {
  const whole = async (operation: Operation): Promise<void> => {
    await runOperation(stage, operation);
  };
  return callOf('testRunner', ofTestRunner(whole), stage, name, given);
};

const judgeResult = (stage: Stage, { name, expectResult }: Operation, result: unknown, yields: Yields): void => {
  if (expectResult === undefined) return;
  const { entities } = stage;
  if (Array.isArray(expectResult) && yields === 'documents')
    matchAll(expectResult as readonly unknown[], result, name, entities);
  else if (Array.isArray(expectResult)) match(expectResult, result, nested(name, entities));
  else
    match(expectResult, plainResult(result ?? undefined) ?? (result === null ? null : undefined), root(name, entities));
};

const save = (stage: Stage, name: string, result: unknown): void => {
  if (result === undefined) throw new RunnerError(`There is no result to save as "${name}".`);
  const isEntity = result instanceof CursorEntity || result instanceof Db || result instanceof Collection;
  stage.entities.add(name, isEntity ? result : { saved: result });
};

/**
 * Runs an operation and checks its expectations. Returns the error if one was expected.
 * @throws Error if an expectation is not met.
 */
export const runOperation = async (stage: Stage, operation: Operation): Promise<Error | undefined> => {
  check(operation);
  const { name, object, expectError, ignoreResultAndError, saveResultAsEntity } = operation;
  const { yields, run } = (object === 'testRunner' ? runnerCall : entityCall)(stage, operation);
  let result: unknown;
  try {
    result = await run();
  } catch (error) {
    const isExpected = expectError !== undefined || ignoreResultAndError === true;
    if (error instanceof RunnerError || !isExpected || object === 'testRunner') throw error;
    judgeError(expectError ?? {}, error, stage.entities);
    stage.raised.push(error as Error);
    return error as Error;
  }
  if (expectError !== undefined) throw new Error(`Expected ${name} to fail.`);
  judgeResult(stage, operation, result, yields);
  if (saveResultAsEntity !== undefined) save(stage, saveResultAsEntity, result);
  return undefined;
};

import type { Entry } from '@tessera/mql/engine';
import { Doc } from '@tessera/mql/engine';
import type { Call, Fields, ServerRuntime } from '@tessera/server/parts';
import { Auth, AuthConfig, openEngine, openProcess, serverDefaults, standalone } from '@tessera/server/parts';
import type { Mongos } from './mongos.js';
import { moreOf, wholeOf } from './pull.js';
import { checked } from './replies.js';
import { relayed } from './routes.js';
import type { ShardServer } from './shard.js';
import { shardServerOf } from './shard.js';
import { runOn } from './upstream.js';

/** Documents, or the definition of a view. */
export type Content =
  | {
      readonly name: string;
      readonly docs: readonly Doc[];
      readonly options: Doc;
      readonly indexes?: readonly Doc[];
    }
  | { readonly name: string; readonly view: Doc };

/** Fields about sessions, routing and guarantees, which do not apply to a scratch server. */
const excluded: ReadonlySet<string> = new Set([
  ...['lsid', 'txnNumber', 'autocommit', 'startTransaction', 'readConcern', 'writeConcern', '$readPreference'],
  ...['$clusterTime', 'hint', 'min', 'max', 'allowPartialResults'],
]);

/** Returns a command without the fields that do not apply to a scratch server. */
export const forScratch = (body: Doc): Doc => Doc.of(body.entries().filter(([name]) => !excluded.has(name)));

/** A name that no shard of a cluster has. */
export const scratchName = 'scratch';

/** The maximum number of documents of one insert. */
const most = 100_000;

/** A temporary server for the documents of several shards. A command runs on it as it would on a single shard. */
export class Scratch {
  readonly #server: ShardServer;
  readonly #call: Call;

  constructor(runtime: ServerRuntime, call: Call) {
    const resolved = { ...serverDefaults, version: call.engine.version.text };
    const engine = openEngine(runtime, resolved);
    const parts = {
      engine,
      auth: new Auth(new AuthConfig(runtime, { users: [] }, () => engine.newUuid()), engine),
      role: standalone,
    };
    this.#server = shardServerOf(openProcess(runtime, resolved, parts));
    this.#call = call;
  }

  async #run(body: readonly Entry[]): Promise<Doc> {
    const { db, client } = this.#call;
    const whole = Doc.of([...body, ['$db', db]]);
    return checked(await runOn(this.#server, { db, body: whole, signal: client.peer.signal }));
  }

  /**
   * Adds a collection or a view.
   * @throws CommandError 11000 if documents of different shards have the same `_id`
   */
  async put(content: Content): Promise<void> {
    if ('view' in content) {
      await this.#run([['create', content.name], ...content.view.entries()]);
      return;
    }
    await this.#run([['create', content.name], ...content.options.entries()]);
    if (content.indexes !== undefined && content.indexes.length > 0) {
      await this.#run([
        ['createIndexes', content.name],
        ['indexes', content.indexes],
      ]);
    }
    for (let at = 0; at < content.docs.length; at += most) {
      await this.#run([
        ['insert', content.name],
        ['documents', content.docs.slice(at, at + most)],
        ['bypassDocumentValidation', true],
      ]);
    }
  }

  /** Runs a command and returns all its documents. */
  async whole(body: Doc): Promise<readonly Doc[]> {
    const { db, client, target } = this.#call;
    const run = async (one: Doc): Promise<Doc> =>
      checked(await runOn(this.#server, { db, body: forScratch(one), signal: client.peer.signal }));
    const name = typeof target === 'string' ? target : '$cmd.aggregate';
    return wholeOf(await run(body), id => run(moreOf(this.#call, id, name)));
  }

  /** Runs a command and returns its reply. Its cursor is passed on to the client. */
  async answer(mongos: Mongos, body: Doc): Promise<Fields> {
    const { db, client } = this.#call;
    const reply = checked(await runOn(this.#server, { db, body: forScratch(body), signal: client.peer.signal }));
    return relayed(mongos, this.#call, { name: scratchName }, { member: this.#server, reply });
  }
}

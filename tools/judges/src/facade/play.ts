/** Runs a program through both drivers, and finds the first difference. */
import { EventEmitter } from 'node:events';
import { compileFunction } from 'node:vm';
import type { Document } from 'bson';
import type { MongoClient } from 'mongodb';
import { late, within } from '../within.js';
import type { Described, Describer, Distance, Tree } from './describe.js';
import { describe, distance, Names } from './describe.js';
import type { Program, Step } from './program.js';
import { expressionOf, helpers, textOf, textOfArgument } from './program.js';
import type { Side } from './sides.js';
import { eventNames } from './sides.js';

/** The first difference of a program. */
export interface Difference extends Distance {
  readonly program: Program;
  /** The last step that both drivers ran. */
  readonly step: Step;
  readonly where: 'result' | 'event' | 'command';
  /** The command or event that differs. */
  readonly command?: string;
}

/** How long a call may take, in milliseconds. */
const patience = 250;

/** Names of the drivers that expressions may use. */
const globals =
  `MongoClient ObjectId Long Double Int32 Decimal128 Binary UUID Timestamp MinKey MaxKey Code DBRef BSONRegExp
  ReadPreference ReadConcern WriteConcern GridFSBucket`.split(/\s+/);

type Compiled = (...args: unknown[]) => unknown;
const compile = (expression: string): Compiled =>
  compileFunction(`return (${expression});`, ['v', 'h', ...globals]) as Compiled;

/** Sorts the fields of a command and of its statements. */
const sorted = (fields: Document): Document =>
  Object.fromEntries(
    Object.entries(fields)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, value]: [string, unknown]) => {
        if (statements.has(name)) return [name, (value as Document[]).map(sorted)];
        return [name, nested.has(name) ? sorted(value as Document) : value];
      }),
  );
const statements = new Set(['updates', 'deletes', 'indexes', 'ops']);
const nested = new Set(['explain', 'cursor']);

/** A program that runs on one side. */
class Run {
  readonly side: Side;
  readonly describer: Describer;
  readonly events: Tree[] = [];
  readonly commands: Tree[] = [];
  readonly #v: Record<string, unknown>;
  readonly #open: () => void;
  #own: MongoClient | undefined;
  readonly #module: Readonly<Record<string, unknown>>;

  constructor(side: Side, program: Program, database: string) {
    const { driver } = side;
    this.side = side;
    this.#module = driver;
    const { uri, client: shared } = side.places[program.topology];
    this.#v = {};
    const source = program.steps.map(expressionOf).join('\n');
    this.describer = { names: new Names(database, source), module: driver, variables: this.#v };
    side.watchers.command = command => this.#take(command);
    side.watchers.event = (name, event) => this.#event(name, event);
    this.#open = () => {
      const db = this.#connect(uri, shared, program).db(database);
      const bucket = new driver.GridFSBucket(db, { chunkSizeBytes: 8 });
      Object.assign(this.#v, { client: db.client, db, coll: db.collection('c'), bucket });
    };
  }

  #connect(uri: string, shared: MongoClient, { options }: Program): MongoClient {
    if (options === undefined) return shared;
    const given = this.evaluate(textOfArgument(options)) as object;
    const client = new this.side.driver.MongoClient(uri, { monitorCommands: true, ...given });
    for (const name of eventNames) client.on(name, (event: object) => this.#event(name, event));
    this.#own = client;
    return client;
  }

  /** Creates the client and the objects of the program. Returns the error, if it fails. */
  open(): Tree {
    try {
      this.#open();
      return ['returns'];
    } catch (error) {
      return ['throws', describe(error, this.describer)];
    }
  }

  evaluate(expression: string): unknown {
    return compile(expression)(this.#v, helpers, ...globals.map(name => this.#module[name]));
  }

  /** Returns whether an earlier program, whose streams may still be ending, uses this database. */
  #isForeign(database: unknown): boolean {
    return String(database).startsWith('facade') && database !== this.describer.names.database;
  }

  /** Collects a command. A driver closes abandoned cursors and sessions at any time. */
  #take(command: Document): void {
    if (this.#isForeign(command['$db'])) return;
    if (!['killCursors', 'endSessions', 'isMaster', 'ismaster'].some(name => name in command))
      this.commands.push(this.#command(command));
  }

  #command(command: Document): Tree {
    const { names } = this.describer;
    const { lsid, txnNumber, $clusterTime: _, ...rest } = command;
    const session =
      lsid === undefined ? undefined : (lsid as { id: { toString(at: 'hex'): string } }).id.toString('hex');
    const [first, ...others] = Object.entries(rest);
    return describe(
      {
        ...Object.fromEntries([first!, ...Object.entries(sorted(Object.fromEntries(others)))]),
        ...(session !== undefined && { lsid: names.of('session', session) }),
        ...(txnNumber !== undefined && { txnNumber: names.transaction(session!, BigInt(String(txnNumber))) }),
      },
      this.describer,
    );
  }

  #event(name: string, event: object): void {
    const { commandName, databaseName } = event as { commandName?: string; databaseName?: string };
    if (this.#isForeign(databaseName)) return;
    // An abandoned cursor is closed at any time.
    if (commandName === 'endSessions' || commandName === 'killCursors') return;
    const { command: _, ...rest } = event as { command?: Document };
    const { members } = describe({ ...rest }, this.describer) as Described;
    this.events.push({ is: name, open: true, members });
  }

  /** Returns how the step ended. Undefined if it cannot run, because an earlier step failed. */
  async perform(step: Step): Promise<readonly Tree[] | undefined> {
    const receiver = this.#v[step.on] as object | null | undefined;
    if (typeof receiver !== 'object' || receiver === null) return undefined;
    let ended = 'returns';
    let value: unknown;
    try {
      value = this.evaluate(expressionOf(step));
      if (value instanceof Promise) {
        ended = 'resolves';
        value = await within(value, patience);
        if (value === late) return ['hangs'];
      }
    } catch (error) {
      return [ended === 'returns' ? 'throws' : 'rejects', describe(error, this.describer)];
    }
    const tree = describe(value, this.describer);
    this.#v[step.as] = value;
    if (value instanceof EventEmitter && value.listenerCount('error') === 0) value.on('error', () => undefined);
    return [ended, tree];
  }

  /** Ends everything that the program left open. */
  async end(): Promise<void> {
    const left = Object.entries(this.#v).filter(([name]) => !['client', 'db', 'coll', 'bucket'].includes(name));
    for (const [, value] of left.reverse()) {
      const { close, endSession, destroy } = (value ?? {}) as Record<string, unknown>;
      const stop = [endSession, destroy, close].find(each => typeof each === 'function');
      if (typeof stop !== 'function' || 'command' in (value as object) || 'db' in (value as object)) continue;
      await within(
        Promise.resolve().then(() => stop.call(value) as unknown),
        patience,
      ).catch(() => undefined);
    }
    if (this.#own !== undefined) await within(this.#own.close(), patience).catch(() => undefined);
    this.side.watchers.command = undefined;
    this.side.watchers.event = undefined;
  }
}

export interface Sides {
  readonly ours: Side;
  readonly theirs: Side;
}

let databases = 0;

/** Stands for the creation of the client. */
const clientStep: Step = { on: 'client', name: 'new MongoClient', target: 'new MongoClient', as: 'client' };

/** Returns the name of a command, or of an event and its command. */
const nameOf = (tree: Tree | undefined): string | undefined => {
  if (tree === undefined || typeof tree === 'string' || !('is' in tree)) return undefined;
  const command = tree.members.find(([member]) => member === 'commandName')?.[1];
  return command === undefined ? tree.members[0]?.[0] : `${tree.is} ${command as string}`;
};

const firstDistance = (
  ours: readonly Tree[],
  theirs: readonly Tree[],
): (Distance & { readonly command?: string }) | undefined => {
  for (let at = 0; at < Math.max(ours.length, theirs.length); at++) {
    const [mine = 'nothing', other = 'nothing'] = [ours[at], theirs[at]];
    const command = nameOf(theirs[at] ?? ours[at]);
    const found = nameOf(mine) === nameOf(other) ? distance(mine, other) : { path: '', ours: mine, theirs: other };
    if (found !== undefined) return { ...found, ...(command !== undefined && { command }) };
  }
  return undefined;
};

const failed = ([ended]: readonly Tree[]): boolean => ended === 'throws' || ended === 'rejects';

/** Returns the first difference between the drivers in this program, or undefined. */
export const play = async (program: Program, sides: Sides): Promise<Difference | undefined> => {
  const database = `facade${databases++}`;
  const runs = [new Run(sides.ours, program, database), new Run(sides.theirs, program, database)] as const;
  const [ours, theirs] = runs;
  let last = program.steps[0]!;
  const opened = distance(ours.open(), theirs.open());
  let found: Difference | undefined = opened && { program, step: clientStep, where: 'result', ...opened };
  try {
    for (const step of program.steps) {
      if (found !== undefined) break;
      const [mine, other] = await Promise.all([ours.perform(step), theirs.perform(step)]);
      const at = { program, step, ours: mine ?? ['skipped'], theirs: other ?? ['skipped'] };
      const result = at.ours[0] === at.theirs[0] ? distance(at.ours, at.theirs) : { path: '', ...at };
      const command = firstDistance(ours.commands, theirs.commands);
      // The error of a driver that rejected the call explains the difference. Otherwise, its command does.
      const isRefused = failed(at.ours) || (failed(at.theirs) && command?.theirs === 'nothing');
      if (command !== undefined && result !== undefined && !isRefused) found = { ...at, ...command, where: 'command' };
      else if (result !== undefined) found = { ...at, ...result, where: 'result' };
      const event = found === undefined ? firstDistance(ours.events, theirs.events) : undefined;
      if (event !== undefined && command === undefined) found = { ...at, ...event, where: 'event' };
      last = step;
      if (at.ours[0] === 'hangs') break;
    }
  } finally {
    // An unacknowledged write may reach the server after its step.
    if (ours.commands.length !== theirs.commands.length) await within(new Promise(() => undefined), 60);
    await Promise.all([ours.end(), theirs.end()]);
    // Expressions of the grammar also write to the database `other`.
    const written = textOf(program).includes("'other'") ? [database, 'other'] : [database];
    const drop = ({ places }: Side) =>
      Promise.all(written.map(name => places[program.topology].keeper.db(name).dropDatabase()));
    await Promise.all([drop(sides.ours), drop(sides.theirs)]);
  }
  const command = found === undefined ? firstDistance(ours.commands, theirs.commands) : undefined;
  return command === undefined ? found : { program, step: last, where: 'command', ...command };
};

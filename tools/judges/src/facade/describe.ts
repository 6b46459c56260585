/** Describes the values that a driver returns, so that the descriptions of two drivers can be compared and printed. */
import { Readable, Writable } from 'node:stream';

/** A leaf as text, a list, or an object with the name of its class. */
export type Tree = string | readonly Tree[] | Described;

export interface Described {
  readonly is: string;
  /** Whether the object may have members that the object of the other driver lacks. */
  readonly open: boolean;
  readonly members: readonly (readonly [name: string, value: Tree])[];
}

const minute = 60_000;

/** Names the ids, times and addresses that differ from run to run, in the order of their appearance. */
export class Names {
  readonly #names = new Map<string, string>();
  readonly #firsts = new Map<string, bigint>();
  /** The database of the program. */
  readonly database: string;
  /** The expressions and ids in the program, which keep their value. */
  readonly source: string;

  constructor(database: string, source: string) {
    this.database = database;
    // A UUID has hyphens in an expression.
    this.source = `${source} ${source.replaceAll('-', '')}`;
  }

  of(kind: string, id: string): string {
    if (this.source.includes(id)) return `${kind}(${id})`;
    const key = `${kind} ${id}`;
    const known = this.#names.get(key);
    if (known !== undefined) return known;
    const earlier = [...this.#names.keys()].filter(other => other.startsWith(`${kind} `));
    const name = `${kind}#${earlier.length}`;
    this.#names.set(key, name);
    return name;
  }

  /** Returns the distance of a transaction number from the first of its session. */
  transaction(session: string, number: bigint): string {
    const first = this.#firsts.get(session) ?? number;
    this.#firsts.set(session, first);
    return `transaction ${number - first}`;
  }

  text(text: string): string {
    return text
      .replaceAll(this.database, 'p')
      .replaceAll(/127\.0\.0\.1:\d+/g, 'HOST')
      .replaceAll(/(?<![0-9a-f])[0-9a-f]{24}(?![0-9a-f])/g, id => this.of('ObjectId', id))
      .replaceAll(/(?<=cursor id |txnNumber: )-?\d+/g, 'N')
      .replaceAll(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, id => this.of('UUID', id))
      .replaceAll(/\b82[0-9A-F]{30,}\b/g, 'TOKEN');
  }
}

/** Members whose value is private, belongs to one machine, or depends on time. */
const hidden = new Set(
  `client s stack cause address connectionId serverConnectionId requestId duration time durationMS serviceId electionId localTime
  topologyVersion $clusterTime clusterTime operationTime lastWrite hosts me primary processId connectionGeneration
  errorLabelSet executionTimeMillis executionTimeMillisEstimate serverInfo wallTime uptime uptimeMillis uptimeEstimate pid electionDate sizeOnDisk totalSizeMb totalSize asserts connections network opLatencies opcounters opcountersRepl globalLock mem metrics transactions logicalSessionRecordCache topologyId operationId`.split(
    /\s+/,
  ),
);

/** Classes whose objects have state, which steps of the program read. */
const handle =
  /^(?:MongoClient|Db|Collection|Admin|ClientSession|ServerSession|ChangeStream|Transaction|.*(?:Cursor|BulkOperation|Stream|Bucket|Operators)|Readable|AbortSignal|AbortController)$/;

/** A value of a BSON class. */
interface BsonValue extends Readonly<Record<string, unknown>> {
  readonly _bsontype: string;
  toString(): string;
}

const bsonText = (value: BsonValue, names: Names): Tree | undefined => {
  switch (value._bsontype) {
    case 'ObjectId':
      return names.of('ObjectId', value.toString());
    case 'Long':
      // The id of a cursor is random.
      return Math.abs(Number(value)) > Number.MAX_SAFE_INTEGER
        ? names.of('Long', value.toString())
        : `Long(${value.toString()})`;
    case 'Timestamp':
      return Number(value['high']) > 1e9 ? 'Timestamp(now)' : `Timestamp(${value.toString()})`;
    case 'Binary': {
      const { buffer, position } = value as unknown as { buffer: Uint8Array; position: number };
      const hex = Buffer.from(buffer).toString('hex', 0, position);
      return Number(value['sub_type']) === 4 ? names.of('UUID', hex) : `Binary(${String(value['sub_type'])}, ${hex})`;
    }
    case 'Int32':
    case 'Double':
      return `${value._bsontype}(${Object.is(value['value'], -0) ? '-0' : String(value['value'])})`;
    case 'Decimal128':
    case 'MinKey':
    case 'MaxKey':
    case 'BSONSymbol':
      return `${value._bsontype}(${value._bsontype.startsWith('M') ? '' : value.toString()})`;
    default:
      return undefined;
  }
};

/** Stands for the name of a class that a driver does not export. */
const unexported = 'object';

const plain = new Set(['Object', 'Map', 'Set', 'Buffer', 'Uint8Array']);

/** Returns the name of the object's class. Programs cannot depend on a class that the driver does not export. */
const classOf = (value: object, module: object): string => {
  const prototype = Object.getPrototypeOf(value) as object | null;
  if (prototype === null) return 'null';
  const { name } = prototype.constructor;
  return plain.has(name) || name in module || value instanceof Error ? name : unexported;
};

/** Returns the names of enumerable own properties, and of getters unless the object is a plain one. */
const namesIn = (value: object): readonly string[] => {
  const found = new Set(Object.keys(value));
  for (
    let at = Object.getPrototypeOf(value) as object | null;
    at !== null && at !== Object.prototype && at !== Error.prototype;
    at = Object.getPrototypeOf(at) as object | null
  )
    for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(at)))
      if ('get' in property && property.get !== undefined) found.add(name);
  // An underscore marks a private member of an object of a class.
  const isPlain = [Object.prototype, null].includes(Object.getPrototypeOf(value) as object | null);
  return [...found].filter(name => !hidden.has(name) && (isPlain || !name.startsWith('_')));
};

export interface Describer {
  readonly names: Names;
  /** The module of the driver. */
  readonly module: object;
  /** Objects that have a variable. */
  readonly variables: Readonly<Record<string, unknown>>;
}

/** The member with the message of a driver, which is printed but not compared. */
const says = 'says';

/** Members of an error that are described elsewhere. */
const stated = ['errorLabels', 'labels', 'name', 'message'];

const errorClasses = new WeakMap<object, readonly [string, abstract new () => unknown][]>();

/** Returns the error classes of the driver of which the value is an instance. */
const classesOf = (value: object, module: object): readonly string[] => {
  let classes = errorClasses.get(module);
  if (classes === undefined) {
    classes = Object.entries(module).filter(
      (entry): entry is [string, abstract new () => unknown] =>
        typeof entry[1] === 'function' && (entry[1] as { prototype?: unknown }).prototype instanceof Error,
    );
    errorClasses.set(module, classes);
  }
  return classes.flatMap(([name, one]) => (value instanceof one ? [name] : [])).sort();
};

export const describe = (value: unknown, describer: Describer): Tree => {
  const { names, module, variables } = describer;
  const above = new Set<object>();

  const members = (object: object): Described['members'] =>
    namesIn(object).flatMap(name => {
      const member = (object as Record<string, unknown>)[name];
      return typeof member === 'function' ? [] : [[name, named(name, member)] as const];
    });

  const named = (name: string, member: unknown): Tree => {
    const isNumber = typeof member === 'bigint' || typeof member === 'number' || isLong(member);
    if ((name === 'id' || name === 'getMore' || name === 'cursorId') && isNumber && Math.abs(Number(member)) > 1e6)
      return names.of('cursor', String(member));
    if ((name === 'cursors' || name.startsWith('cursors')) && Array.isArray(member))
      return member.map(id => (isLong(id) || typeof id === 'bigint' ? names.of('cursor', String(id)) : tree(id)));
    // Other programs leave databases.
    if (name === 'databases' && Array.isArray(member))
      return tree(
        member.filter(
          ({ name: database }: { name: string }) => !/^(?:facade|test$)/.test(database) || database === names.database,
        ),
      );
    return tree(member);
  };

  const error = (thrown: Error): Tree => {
    const { name, message, code } = thrown as Error & { code?: unknown };
    const server = typeof code === 'number' && name.startsWith('Mongo');
    const labels = (thrown as { errorLabels?: string[] }).errorLabels;
    return {
      is: thrown.constructor.name,
      open: true,
      members: [
        ['name', tree(name)],
        ['instance of', classesOf(thrown, module)],
        [server ? 'message' : says, tree(message)],
        ...(labels === undefined ? [] : [['labels', [...labels].sort()] as const]),
        ...members(thrown).filter(([member]) => !(server ? stated : [...stated, 'errmsg']).includes(member)),
      ],
    };
  };

  const tree = (at: unknown): Tree => {
    if (typeof at === 'string') return JSON.stringify(names.text(at));
    if (typeof at === 'number') return Object.is(at, -0) ? '-0' : String(at);
    if (typeof at === 'bigint') return `${at}n`;
    if (typeof at === 'function') return 'function';
    if (typeof at !== 'object' || at === null) return String(at);
    if (above.has(at) || above.size > 20) return 'circular';
    above.add(at);
    try {
      return object(at);
    } finally {
      above.delete(at);
    }
  };

  /** Returns the exported class of a stream, which its constructor may hide. */
  const streamOf = (at: object): string | undefined =>
    ['GridFSBucketWriteStream', 'GridFSBucketReadStream', 'Readable'].find(name =>
      name === 'Readable'
        ? at instanceof Readable
        : at instanceof (module as Record<string, abstract new () => object>)[name]!,
    );

  const object = (at: object): Tree => {
    if (Array.isArray(at)) return at.map(tree);
    const is = classOf(at, module);
    if (at instanceof Writable || at instanceof Readable || handle.test(at.constructor?.name ?? '')) {
      const variable = Object.keys(variables).find(name => variables[name] === at);
      return { is: streamOf(at) ?? is, open: false, members: variable === undefined ? [] : [['same as', variable]] };
    }
    if (at instanceof Date)
      return Math.abs(at.getTime() - Date.now()) < 10 * minute ? 'Date(now)' : `Date(${at.getTime()})`;
    if (at instanceof RegExp) return String(at);
    if (at instanceof Uint8Array) return `${is}(${names.text(Buffer.from(at).toString('hex'))})`;
    if (at instanceof Map) return { is, open: false, members: [...at].map(([key, item]) => [String(key), tree(item)]) };
    if (at instanceof Set) return { is, open: false, members: [['values', [...at].map(tree)]] };
    if (at instanceof Error) return error(at);
    if (at instanceof Promise) return 'promise';
    if ('_bsontype' in at) {
      const text = bsonText(at as unknown as BsonValue, names);
      if (text !== undefined) return text;
    }
    return { is, open: is !== 'Object' && is !== 'null', members: members(at) };
  };

  return tree(value);
};

const isLong = (value: unknown): boolean => (value as { _bsontype?: unknown } | null | undefined)?._bsontype === 'Long';

/** The first place at which two descriptions differ. */
export interface Distance {
  readonly path: string;
  readonly ours: Tree;
  readonly theirs: Tree;
}

/** Compares two descriptions. An open object of ours may have more members than the object of npm `mongodb`. */
export const distance = (ours: Tree, theirs: Tree, path = ''): Distance | undefined => {
  if (typeof ours === 'string' || typeof theirs === 'string')
    return ours === theirs ? undefined : { path, ours, theirs };
  if (isList(ours) || isList(theirs)) {
    if (!isList(ours) || !isList(theirs) || ours.length !== theirs.length) return { path, ours, theirs };
    for (const [at, item] of theirs.entries()) {
      const found = distance(ours[at]!, item, `${path}[${at}]`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  // Programs cannot depend on a class that npm `mongodb` does not export.
  if (ours.is !== theirs.is && theirs.is !== unexported) return { path, ours, theirs };
  const mine = new Map(ours.members);
  for (const [name, value] of theirs.members) {
    if (name === says) continue;
    const found = distance(mine.get(name) ?? 'absent', value, `${path}.${name}`);
    if (found !== undefined) return found;
  }
  if (theirs.open || theirs.is === unexported) return undefined;
  const more = ours.members.find(([name]) => theirs.members.every(([other]) => other !== name));
  if (more !== undefined) return { path: `${path}.${more[0]}`, ours: more[1], theirs: 'absent' };
  const [order, other] = [ours, theirs].map(({ members }) => members.map(([name]) => name));
  return order!.join() === other!.join() ? undefined : { path: `${path} order`, ours: order!, theirs: other! };
};

const isList = (tree: Tree): tree is readonly Tree[] => Array.isArray(tree);

/** Formats a description in one line. */
export const textOfTree = (tree: Tree): string => {
  if (typeof tree === 'string') return tree;
  if (isList(tree)) return `[${tree.map(textOfTree).join(', ')}]`;
  const members = tree.members.map(([name, value]) => `${name}: ${textOfTree(value)}`).join(', ');
  return `${tree.is === 'Object' ? '' : `${tree.is} `}{${members}}`;
};

import type { Document, HedgeOptions, ReadPreferenceMode, Selection, TagSet } from '@tessera/contracts';
import { MongoInvalidArgumentError } from './errors.js';
import type { ReadConcernLevel } from './named-values.js';
import { isGiven } from './operation-options.js';

/** A read concern, its level, or an object with its level. */
export type ReadConcernLike = ReadConcern | ReadConcernLevel | { level?: ReadConcernLevel | string };

/**
 * A read concern: which data reads may return. For example `new ReadConcern('majority')`. Rule: Read and Write Concern,
 * "Read Concern".
 */
export class ReadConcern {
  /** Returns data that a majority of the members has acknowledged. */
  static readonly MAJORITY = 'majority';
  /** Like `local`, but in a sharded cluster reads may return orphaned documents. */
  static readonly AVAILABLE = 'available';
  /** Returns all writes that were acknowledged by a majority before the read began. */
  static readonly LINEARIZABLE = 'linearizable';
  /** Returns the data of one point in time. */
  static readonly SNAPSHOT = 'snapshot';

  /** The level, such as `majority`. */
  readonly level: string;

  /**
   * Creates a read concern of that level.
   * @example const readConcern = new ReadConcern('majority');
   */
  constructor(level: string) {
    this.level = level;
  }

  /** Returns the read concern of the options. Undefined if there is none. */
  static fromOptions(options?: {
    readonly readConcern?: ReadConcernLike | undefined;
    readonly level?: string | undefined;
    readonly readConcernLevel?: string | undefined;
  }): ReadConcern | undefined {
    const given = options?.readConcern ?? options?.readConcernLevel ?? options?.level;
    if (given === undefined) return undefined;
    if (given instanceof ReadConcern) return given;
    const level = typeof given === 'string' ? given : given.level;
    return level === undefined ? undefined : new ReadConcern(level);
  }

  /** Returns the form that commands send. */
  toJSON(): Document {
    return { level: this.level };
  }
}

/**
 * The members that must acknowledge a write: a number, `majority`, or the name of a custom write concern in
 * `settings.getLastErrorModes` of the replica set.
 */
export type W = number | 'majority' | (string & {});

/** A write concern as a plain object. */
export interface WriteConcernSettings {
  /**
   * The members that must acknowledge a write. Default: the server's default, which since MongoDB 5.0 is `majority`, or 1 for
   * some replica sets with arbiters.
   */
  w?: W | undefined;
  /** Whether a write must be in the journal on disk before it is acknowledged. Default: the server's default. */
  journal?: boolean | undefined;
  /** Another name of `journal`. @deprecated Use `journal`. */
  j?: boolean | undefined;
  /** The time in milliseconds that the server waits for the members. Default: no limit. Prefer `timeoutMS`. */
  wtimeoutMS?: number | undefined;
  /** Another name of `wtimeoutMS`. */
  wtimeout?: number | undefined;
  /** Another name of `journal`. @deprecated Use `journal`. */
  fsync?: boolean | 1 | undefined;
}

/** The names of `journal`, without their marks as deprecated. */
interface OlderNames {
  readonly journal?: boolean | undefined;
  readonly j?: boolean | undefined;
  readonly fsync?: boolean | 1 | undefined;
}

/** Options that may contain a write concern. */
export interface WriteConcernOptions {
  /** The write concern, its `w`, or a plain object with its fields. */
  writeConcern?: WriteConcern | WriteConcernSettings | W | undefined;
}

/**
 * A write concern: how many members must acknowledge a write. Rule: Read and Write Concern, "Write Concern".
 * @throws MongoInvalidArgumentError for `w: 0` with `journal: true`
 */
export class WriteConcern {
  /** The members that must acknowledge a write. Undefined means the server's default. */
  declare readonly w?: W | undefined;
  /** Whether a write must be in the journal on disk before it is acknowledged. */
  declare readonly journal?: boolean | undefined;
  /** The time in milliseconds that the server waits for the members. Undefined means no limit. */
  declare readonly wtimeoutMS?: number | undefined;
  /** Always absent: the constructor sets `journal` instead. @deprecated Use `journal`. */
  declare readonly fsync?: boolean | 1;

  /**
   * Creates a write concern.
   * @throws MongoInvalidArgumentError for contradictory or invalid values
   * @example const writeConcern = new WriteConcern('majority', 5000);
   */
  constructor(w?: W, wtimeoutMS?: number, journal?: boolean, fsync?: boolean | 1) {
    const durable = isGiven(fsync) ? Boolean(fsync) : journal;
    if (w === 0 && durable === true)
      throw new MongoInvalidArgumentError(
        'The write concern { w: 0, j: true } is contradictory. Remove one of the two fields.',
      );
    if (typeof w === 'number' && !(Number.isInteger(w) && w >= 0))
      throw new MongoInvalidArgumentError(`"w" must be an integer of at least 0 or a string, but is ${w}.`);
    if (wtimeoutMS !== undefined && !(wtimeoutMS >= 0))
      throw new MongoInvalidArgumentError(
        `"wtimeoutMS" must be at least 0, where 0 means no limit, but is ${wtimeoutMS}.`,
      );
    if (w !== undefined) this.w = w;
    if (wtimeoutMS !== undefined) this.wtimeoutMS = wtimeoutMS;
    if (durable !== undefined) this.journal = durable;
  }

  /**
   * Returns the write concern in `options.writeConcern`, or the options as a write concern. Undefined if there is none.
   */
  static fromOptions(
    options?: (WriteConcernSettings & WriteConcernOptions) | WriteConcern | W | null,
  ): WriteConcern | undefined {
    if (options === undefined || options === null) return undefined;
    if (options instanceof WriteConcern) return options;
    if (typeof options !== 'object') return new WriteConcern(options);
    if (options.writeConcern !== undefined) return WriteConcern.fromOptions(options.writeConcern);
    const wtimeout = options.wtimeoutMS ?? options.wtimeout;
    // The older names are marked as deprecated for programs.
    const { w } = options;
    const { j, journal = j, fsync } = options as OlderNames;
    if (w === undefined && wtimeout === undefined && journal === undefined && fsync === undefined) return undefined;
    return new WriteConcern(w, wtimeout, journal, fsync);
  }

  /** Sets the write concern in the command. */
  static apply(command: Document, writeConcern: WriteConcern): Document {
    command['writeConcern'] = writeConcern.toDocument() ?? {};
    return command;
  }

  /** Another name of `journal`. @deprecated Use `journal`. */
  get j(): boolean | undefined {
    return this.journal;
  }
  /** Another name of `wtimeoutMS`. @deprecated Use `wtimeoutMS`. */
  get wtimeout(): number | undefined {
    return this.wtimeoutMS;
  }

  /** Returns the form that commands send, or undefined for the server's default. */
  toDocument(): Document | undefined {
    const document: Document = {};
    if (this.w !== undefined) document['w'] = this.w;
    if (this.wtimeoutMS !== undefined) document['wtimeout'] = this.wtimeoutMS;
    if (this.journal !== undefined) document['j'] = this.journal;
    return Object.keys(document).length === 0 ? undefined : document;
  }
}

/** A read preference, or its mode. */
export type ReadPreferenceLike = ReadPreference | ReadPreferenceMode;

/** Options of a read preference. The mode `primary` accepts none. */
export interface ReadPreferenceOptions {
  /** The maximum replication lag in seconds of a secondary that serves reads. At least 90. Default: no limit. */
  maxStalenessSeconds?: number | undefined;
  /** Hedged reads in sharded clusters. Servers since MongoDB 8.0 ignore this option. */
  hedge?: HedgeOptions | undefined;
}

/** Options that may contain a read preference. */
export interface ReadPreferenceLikeOptions extends ReadPreferenceOptions {
  /** The read preference, its mode, or a plain object with its fields. */
  readPreference?: ReadPreferenceLike | Selection | undefined;
}

/** Options from which a read preference is created. */
export interface ReadPreferenceFromOptions extends ReadPreferenceLikeOptions {
  /** Has no effect. For compatibility. */
  session?: object | undefined;
  /** The tag sets, in order of preference. */
  readPreferenceTags?: TagSet[] | undefined;
}

const modes: readonly string[] = ['primary', 'primaryPreferred', 'secondary', 'secondaryPreferred', 'nearest'];

const isTags = (given: unknown): given is readonly TagSet[] => Array.isArray(given);

/**
 * A read preference: which servers reads use. For example `new ReadPreference('secondary')`. Rule: Server Selection,
 * "Read preference".
 */
export class ReadPreference implements Selection {
  /** The name of the mode that reads from the primary. */
  static readonly PRIMARY = 'primary';
  /** The name of the mode that reads from the primary, or from a secondary if there is no primary. */
  static readonly PRIMARY_PREFERRED = 'primaryPreferred';
  /** The name of the mode that reads from secondaries. */
  static readonly SECONDARY = 'secondary';
  /** The name of the mode that reads from secondaries, or from the primary if there is no suitable secondary. */
  static readonly SECONDARY_PREFERRED = 'secondaryPreferred';
  /** The name of the mode that reads from the members with the lowest round-trip times. */
  static readonly NEAREST = 'nearest';

  /** The mode, such as `secondaryPreferred`. */
  readonly mode: ReadPreferenceMode;
  /** The tag sets, in order of preference. An empty set matches every member. */
  readonly tags: TagSet[] | undefined;
  /** The maximum replication lag in seconds of a secondary. Undefined means no limit. */
  readonly maxStalenessSeconds: number | undefined;
  /** Whether a mongos sends the read to two members and returns the first reply. */
  readonly hedge: HedgeOptions | undefined;

  /**
   * Creates a read preference.
   * @throws MongoInvalidArgumentError for an unknown mode, and for options that the mode does not accept
   * @example const readPreference = new ReadPreference('secondary', [{ region: 'eu' }]);
   */
  constructor(mode: ReadPreferenceMode, tags?: readonly TagSet[], options?: ReadPreferenceOptions);
  /** Creates a read preference without tag sets. */
  constructor(mode: ReadPreferenceMode, options: ReadPreferenceOptions);
  constructor(
    mode: ReadPreferenceMode,
    first?: readonly TagSet[] | ReadPreferenceOptions,
    second?: ReadPreferenceOptions,
  ) {
    if (!ReadPreference.isValid(mode))
      throw new MongoInvalidArgumentError(
        `Unknown read preference '${mode as string}'. Use one of ${modes.join(', ')}.`,
      );
    const [tags, options] = isTags(first) ? [first, second ?? {}] : [undefined, second ?? first ?? {}];
    const { hedge } = options;
    const staleness = options.maxStalenessSeconds === -1 ? undefined : options.maxStalenessSeconds;
    const isTagged = tags?.some(set => Object.keys(set).length > 0) === true;
    if (mode === 'primary' && (staleness !== undefined || hedge !== undefined || isTagged))
      throw new MongoInvalidArgumentError(
        'The read preference primary accepts neither "tags" nor "maxStalenessSeconds" nor "hedge", because there is only one primary.',
      );
    if (staleness !== undefined && !(staleness > 0))
      throw new MongoInvalidArgumentError(`"maxStalenessSeconds" must be positive, but is ${staleness}.`);
    this.mode = mode;
    this.tags = tags === undefined ? undefined : [...tags];
    this.maxStalenessSeconds = staleness;
    this.hedge = hedge;
  }

  /** Reads from the primary. */
  static readonly primary: ReadPreference = new ReadPreference('primary');
  /** Reads from the primary, or from a secondary if there is no primary. */
  static readonly primaryPreferred: ReadPreference = new ReadPreference('primaryPreferred');
  /** Reads from secondaries. */
  static readonly secondary: ReadPreference = new ReadPreference('secondary');
  /** Reads from secondaries, or from the primary if there is no suitable secondary. */
  static readonly secondaryPreferred: ReadPreference = new ReadPreference('secondaryPreferred');
  /** Reads from the members with the lowest round-trip times. */
  static readonly nearest: ReadPreference = new ReadPreference('nearest');

  /** Returns whether the mode is valid. */
  static isValid(mode: string): boolean {
    return modes.includes(mode);
  }

  /** Returns a read preference of that mode. @throws MongoInvalidArgumentError for an unknown mode */
  static fromString(mode: string): ReadPreference {
    return new ReadPreference(mode as ReadPreferenceMode);
  }

  /** Returns the read preference of the options. Undefined if there is none. */
  static fromOptions(options?: ReadPreferenceFromOptions): ReadPreference | undefined {
    const { readPreferenceTags, maxStalenessSeconds, hedge } = options ?? {};
    const isRefined = readPreferenceTags !== undefined || maxStalenessSeconds !== undefined;
    // Rule: Max Staleness: tags and maxStalenessSeconds without a mode belong to mode primary, which accepts none.
    const given = options?.readPreference ?? (isRefined ? 'primary' : undefined);
    if (given === undefined) return undefined;
    if (given instanceof ReadPreference) return given;
    return typeof given === 'string'
      ? new ReadPreference(given, readPreferenceTags, { maxStalenessSeconds, hedge })
      : new ReadPreference(given.mode, given.tags, given);
  }

  /** Replaces a name or plain object in the option `readPreference` with a ReadPreference. */
  static translate(options: ReadPreferenceLikeOptions): ReadPreferenceLikeOptions {
    const readPreference = ReadPreference.fromOptions({ readPreference: options.readPreference });
    return readPreference === undefined ? options : Object.assign(options, { readPreference });
  }

  /** The mode, under a deprecated name. */
  get preference(): ReadPreferenceMode {
    return this.mode;
  }

  /** Returns whether the given mode is valid; by default, the read preference's own mode. */
  isValid(mode: string = this.mode): boolean {
    return ReadPreference.isValid(mode);
  }

  /** Returns whether secondaries may serve reads. */
  secondaryOk(): boolean {
    return this.mode !== 'primary';
  }

  /** Returns whether the modes are equal. Does not compare tags and other options. */
  equals(other: Pick<ReadPreference, 'mode'>): boolean {
    return other.mode === this.mode;
  }

  /** Returns the read preference as a plain object. */
  toJSON(): Document {
    const { mode, tags, maxStalenessSeconds, hedge } = this;
    return {
      mode,
      ...(tags === undefined ? {} : { tags }),
      ...(maxStalenessSeconds === undefined ? {} : { maxStalenessSeconds }),
      ...(hedge === undefined ? {} : { hedge }),
    };
  }
}

import { cut } from './cut.js';
import type { Value } from './value/value.js';

/** The numbers of MongoDB's error names that this package and the embedded server use. */
const codes = {
  InternalError: 1,
  BadValue: 2,
  NoSuchKey: 4,
  GraphContainsCycle: 5,
  HostUnreachable: 6,
  HostNotFound: 7,
  UnknownError: 8,
  FailedToParse: 9,
  CannotMutateObject: 10,
  UserNotFound: 11,
  UnsupportedFormat: 12,
  Unauthorized: 13,
  TypeMismatch: 14,
  Overflow: 15,
  InvalidLength: 16,
  ProtocolError: 17,
  AuthenticationFailed: 18,
  CannotReuseObject: 19,
  IllegalOperation: 20,
  EmptyArrayOperation: 21,
  InvalidBSON: 22,
  AlreadyInitialized: 23,
  LockTimeout: 24,
  RemoteValidationError: 25,
  NamespaceNotFound: 26,
  IndexNotFound: 27,
  PathNotViable: 28,
  NonExistentPath: 29,
  InvalidPath: 30,
  RoleNotFound: 31,
  RolesNotRelated: 32,
  PrivilegeNotFound: 33,
  CannotBackfillArray: 34,
  UserModificationFailed: 35,
  FileRenameFailed: 37,
  FileNotOpen: 38,
  FileStreamFailed: 39,
  ConflictingUpdateOperators: 40,
  LogWriteFailed: 42,
  CursorNotFound: 43,
  UserDataInconsistent: 45,
  LockBusy: 46,
  NoMatchingDocument: 47,
  NamespaceExists: 48,
  InvalidRoleModification: 49,
  MaxTimeMSExpired: 50,
  ManualInterventionRequired: 51,
  DollarPrefixedFieldName: 52,
  InvalidIdField: 53,
  NotSingleValueField: 54,
  InvalidDBRef: 55,
  EmptyFieldName: 56,
  DottedFieldName: 57,
  CommandNotFound: 59,
  ShardKeyNotFound: 61,
  ImmutableField: 66,
  CannotCreateIndex: 67,
  IndexAlreadyExists: 68,
  ShardNotFound: 70,
  InvalidOptions: 72,
  InvalidNamespace: 73,
  WriteConcernFailed: 64,
  MultipleErrorsOccurred: 65,
  UnknownReplWriteConcern: 79,
  IndexOptionsConflict: 85,
  IndexKeySpecsConflict: 86,
  NetworkTimeout: 89,
  ShutdownInProgress: 91,
  OperationFailed: 96,
  NotExactValueField: 111,
  UnsatisfiableWriteConcern: 100,
  WriteConflict: 112,
  IncompleteTransactionHistory: 217,
  ConflictingOperationInProgress: 117,
  NamespaceNotSharded: 118,
  CommandNotSupported: 115,
  CommandFailed: 125,
  DocumentValidationFailure: 121,
  NotAReplicaSet: 123,
  FailedToSatisfyReadPreference: 133,
  CommandNotSupportedOnView: 166,
  QueryPlanKilled: 175,
  CappedPositionLost: 136,
  JSInterpreterFailure: 139,
  PrimarySteppedDown: 189,
  ExceededTimeLimit: 262,
  MaxStalenessOutOfRange: 160,
  IncompatibleCollationVersion: 161,
  OptionNotSupportedOnView: 167,
  InvalidPipelineOperator: 168,
  InvalidIndexSpecificationOption: 197,
  ClusterTimeFailsRateLimiter: 205,
  TimeProofMismatch: 204,
  KeyNotFound: 211,
  NoReplicationEnabled: 76,
  InvalidUUID: 207,
  InvalidResumeToken: 260,
  QueryExceededMemoryLimitNoDiskUseAllowed: 292,
  TooManyLogicalSessions: 261,
  OperationNotSupportedInTransaction: 263,
  FailPointSetFailed: 266,
  CursorKilled: 237,
  ChangeStreamFatalError: 280,
  ChangeStreamHistoryLost: 286,
  SnapshotTooOld: 239,
  ClientDisconnect: 279,
  IngressRequestRateLimitExceeded: 462,
  ClientMetadataCannotBeMutated: 186,
  NoSuchTransaction: 251,
  TransactionCommitted: 256,
  ExceededMemoryLimit: 146,
  SnapshotUnavailable: 246,
  TransactionTooOld: 225,
  InvalidReplicaSetConfig: 93,
  NotYetInitialized: 94,
  NewReplicaSetConfigurationIncompatible: 103,
  NodeNotFound: 74,
  NotSecondary: 95,
  CannotInsertUsingViews: 174,
  ViewDepthLimitExceeded: 165,
  AmbiguousIndexKeyPattern: 181,
  InvalidViewDefinition: 182,
  ConversionFailure: 241,
  NoQueryExecutionPlans: 291,
  APIVersionError: 322,
  APIStrictError: 323,
  APIDeprecationError: 324,
  MechanismUnavailable: 334,
  APIMismatchError: 347,
  UnsupportedOpQueryCommand: 352,
  LoadBalancerSupportMismatch: 354,
  CannotConvertIndexToUnique: 359,
  CollectionUUIDMismatch: 361,
  SearchNotEnabled: 31082,
  DurationOverflow: 159,
  IDLUnknownField: 40415,
  IDLFailedToParse: 40414,
  NotWritablePrimary: 10107,
  DuplicateKey: 11000,
  BSONObjectTooLarge: 10334,
  InterruptedAtShutdown: 11600,
  Interrupted: 11601,
  CursorInUse: 12051,
  OutOfDiskSpace: 14031,
  InterruptedDueToReplStateChange: 11602,
  NotPrimaryNoSecondaryOk: 13435,
  NotPrimaryOrSecondary: 13436,
} as const;

export type CodeName = keyof typeof codes;

/** Codes without a name in mongod. Their `codeName` is `Location<code>`. */
const unnamed: ReadonlySet<number> = new Set([40414, 40415]);

const names: ReadonlyMap<number, string> = new Map(
  Object.entries(codes)
    .filter(([, code]) => !unnamed.has(code))
    .map(([name, code]) => [code, name]),
);

/** The number of characters after which a message is cut, so that a large value in it does not make the reply large. */
const mostMessage = 20_000;

/**
 * The error of a failed command. A server replies with it as `{ok: 0.0, errmsg, code, codeName, …extra}`; a write
 * command reports it per statement.
 */
export class CommandError extends Error {
  readonly code: number;
  readonly codeName: string;
  /** The fields after `codeName` (in a write error, after `errmsg`): `keyPattern`, `keyValue`, `errInfo`. */
  readonly extra: readonly (readonly [string, Value])[];
  /** The error labels. If undefined, the server adds labels by the code. */
  readonly labels: readonly string[] | undefined;

  constructor(
    code: number,
    message: string,
    extra: readonly (readonly [string, Value])[] = [],
    labels?: readonly string[],
  ) {
    super(cut(message, mostMessage));
    this.code = code;
    this.codeName = names.get(code) ?? `Location${code}`;
    this.extra = extra;
    this.labels = labels;
  }
}

/** The error of an expression whose operator is unknown. */
export class UnknownExpression extends CommandError {
  readonly operator: string;

  constructor(operator: string) {
    super(codes.InvalidPipelineOperator, `Unrecognized expression '${operator}'`);
    this.operator = operator;
  }
}

/**
 * Creates an error by its name or number, for the caller to throw. A number without a name becomes `Location<code>`.
 */
export const fail = (
  code: CodeName | number,
  message: string,
  extra: readonly (readonly [string, Value])[] = [],
  labels?: readonly string[],
): CommandError => new CommandError(typeof code === 'number' ? code : codes[code], message, extra, labels);

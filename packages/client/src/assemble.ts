import { createAttempt } from '@tessera/attempt';
import type {
  BsonCodec,
  Clock,
  Compressor,
  CreateConnect,
  CreatePools,
  CreateRetryPolicy,
  CreateTopology,
  CreateWire,
  Deployment,
  EventSink,
  Layer,
  LookUpSeeds,
  Mechanisms,
  Millis,
  OpenLog,
  Random,
  Runtime,
  Streams,
} from '@tessera/contracts';
import { stack } from '@tessera/contracts';
import { createAuthenticator, mechanisms } from '@tessera/auth';
import { bson, createObjectIds } from '@tessera/bson';
import { createConnect, functionService } from '@tessera/connection';
import { Kills } from '@tessera/operations';
import type { Dispatcher, NewId } from '@tessera/operations';
import { createPools } from '@tessera/pool';
import { createRetry, createRetryPolicy } from '@tessera/retry';
import { createSessions } from '@tessera/session';
import type { Sessions } from '@tessera/session';
import { createSrvDeployment, createTopology } from '@tessera/topology';
import { lookUpSeeds, resolveSrv } from '@tessera/uri';
import type { Settings } from '@tessera/uri';
import { createWire } from '@tessera/wire';
import { compressorsOf, missingCompressors } from './compression.js';
import { convertError } from './convert-error.js';
import { noLog, withLog } from './log.js';
import { Callers, rethrowConverted } from './stack-trace.js';
import type { Above, Called } from './stack-trace.js';
import { createTimeLimits } from './time-limit.js';
import type { TimeLimits } from './time-limit.js';
import { createNameCheck } from './unknown-options.js';
import type { CheckNames } from './unknown-options.js';

/** The replaceable parts of the driver. Each defaults to the driver's own part. */
export interface Parts {
  /** Encodes and decodes documents. */
  readonly bson: BsonCodec;
  /** Encodes and decodes messages of the wire protocol. */
  readonly wire: CreateWire;
  /**
   * Compressors in addition to those of the runtime. A compressor with the same id replaces that of the runtime. The
   * option `compressors` selects among all of them.
   */
  readonly compressors: readonly Compressor[];
  /** Opens connections, including the handshake and authentication. */
  readonly connect: CreateConnect;
  /**
   * Authentication mechanisms by the name in `authMechanism`, in addition to the built-in ones. A mechanism with the
   * name of a built-in one replaces it.
   */
  readonly authenticators: Mechanisms;
  /** Keeps the connections of each server. */
  readonly pools: CreatePools;
  /** Discovers and monitors servers, and selects a server for each operation. */
  readonly topology: CreateTopology;
  /**
   * Decides which errors are retried, when and how often: `tokenBucket`, `budget` or `noRetries` of `@tessera/retry`,
   * or your own policy.
   */
  readonly retryPolicy: CreateRetryPolicy;
  /**
   * Writes the log that the options `mongodbLog…` and the environment configure: `createLog` of `@tessera/log`.
   * Default: no log.
   */
  readonly log: OpenLog;
  /**
   * Functions that receive each request before the driver's own layers, the outermost first. For example tracing, a
   * cache, or rate limits.
   */
  readonly outerLayers: readonly Layer[];
}

/** The replaceable parts, and the sessions, whose interface is not a public contract. Simulations replace both. */
export interface InnerParts extends Parts {
  /** Creates the sessions. */
  readonly sessions: typeof createSessions;
}

/** The parts that a client uses unless its option `parts` replaces them. */
export const defaultParts: InnerParts = {
  bson,
  wire: createWire,
  compressors: [],
  connect: createConnect,
  authenticators: mechanisms,
  pools: createPools,
  topology: createTopology,
  sessions: createSessions,
  retryPolicy: createRetryPolicy,
  log: noLog,
  outerLayers: [],
};

/** The assembled driver, which the client's classes use. */
export interface Driver extends Dispatcher {
  /** Encodes and decodes documents. */
  readonly bson: BsonCodec;
  /** The time and timers. */
  readonly clock: Clock;
  /** Random numbers. */
  readonly random: Random;
  /** Creates streams of the runtime. */
  readonly streams: Streams;
  /** The servers, which it monitors and selects. */
  readonly deployment: Deployment;
  /** The server sessions. */
  readonly sessions: Sessions;
  /** Kills cursors of aborted operations in the background. */
  readonly kills: Kills;
  /** The change streams and explicit sessions that have started and not ended. The client ends them when it closes. */
  readonly started: Set<AsyncDisposable>;
  /** Generates an ObjectId. */
  readonly newId: NewId;
  /** Warns of unknown options of operations; undefined if the option `warnOnUnknownOptions` is off. */
  readonly checkNames: CheckNames | undefined;
  /** Converts deadlines to the `maxTimeMS` of commands. */
  readonly timeLimits: TimeLimits;
  /** Converts an error to its public class. `deadline` and `timeoutMS` are those of the failed operation. */
  readonly convertError: (error: unknown, deadline?: Millis, timeoutMS?: number) => unknown;
  /** The callers of operations, for the stack traces of errors. */
  readonly callers: Callers;
  /** Throws the converted error of a public method. Its stack trace begins with the line that awaits `above`. */
  readonly rethrow: (error: unknown, called: Called, above: Above) => never;
}

/** Assembles the driver from its parts. This is the only function that refers to every part. */
export const assemble = (
  runtime: Runtime,
  listeners: EventSink,
  settings: Settings,
  overrides: Partial<InnerParts>,
): Driver => {
  const parts: InnerParts = { ...defaultParts, ...overrides };
  const { clock, crypto, random, transport, resolver, platform, host, streams } = runtime;
  const compressors = compressorsOf(parts.compressors, runtime.compressors);
  const warnings = [...settings.warnings, ...missingCompressors(settings.compressors, compressors)];
  for (const warning of warnings) host.warn?.(warning);
  const events = withLog(listeners, parts.log({ clock, host }, settings));
  const wire = parts.wire({ bson: parts.bson, compressors });
  const open = (known: Settings, again: LookUpSeeds | undefined): Deployment => {
    const authenticator = createAuthenticator(
      {
        ...{ clock, crypto, random, transport, host, bson: parts.bson },
        mechanisms: { ...defaultParts.authenticators, ...parts.authenticators },
      },
      known,
    );
    const connect = parts.connect(
      { clock, transport, platform, host, compressors, wire, bson: parts.bson, events, authenticator },
      known,
    );
    const openPool = parts.pools({ clock, events, connect }, known);
    return parts.topology(
      { clock, random, events, connect, openPool, lookUpSeeds: again },
      { ...known, seeds: known.hosts, functionService: functionService(host) },
    );
  };
  const deployment = createSrvDeployment(
    {
      ...{ clock, open },
      resolve: known => resolveSrv({ resolver, random }, known),
      lookUpSeeds: known => lookUpSeeds(resolver, known),
    },
    settings,
  );
  const sessions = parts.sessions({ bson: parts.bson, random, clock, host }, settings);
  const policy = parts.retryPolicy(settings);
  const layers = [...parts.outerLayers, sessions.layer, createRetry({ deployment, clock, random, policy }, settings)];
  const convert: Driver['convertError'] = (error, deadline = Infinity, timeoutMS) =>
    convertError(error, deployment.description, deadline - clock.now(), timeoutMS);
  const rethrow: Driver['rethrow'] = (error, called, above) =>
    rethrowConverted(error, convert(error, called.call.deadline, called.call.timeoutMS), above, called);
  let operationId = 0;
  const newOperationId = (): number => ++operationId;
  // These commands skip the session layer, because the sessions of the cursors may have ended.
  const kills = new Kills({
    ...{ bson: parts.bson, clock, deployment, newOperationId },
    dispatch: stack(parts.outerLayers, createAttempt({ deployment })),
    exchanges: [sessions.clusterTimeExchange],
  });
  return {
    bson: parts.bson,
    clock,
    random,
    streams,
    deployment,
    sessions,
    kills,
    started: new Set(),
    killLater: kills.add,
    dispatch: stack(layers, createAttempt({ deployment, late: kills.late })),
    newId: settings.pkFactory?.createPk.bind(settings.pkFactory) ?? createObjectIds({ clock, random }),
    newOperationId,
    checkNames: createNameCheck(host, settings.warnOnUnknownOptions),
    implicitSession: () => sessions.implicit(),
    timeLimits: createTimeLimits({ clock }),
    convertError: convert,
    callers: new Callers(clock),
    rethrow,
  };
};

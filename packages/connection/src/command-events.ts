import { MongoError, serverError } from '@tessera/contracts';
import type {
  Clock,
  Connection,
  Document,
  EventMap,
  EventSink,
  Message,
  Millis,
  Origin,
  Reply,
  WireCodec,
} from '@tessera/contracts';
import { unreadable } from './connection-errors.js';
import { isHello, isSensitive } from './sensitive-commands.js';

/** What the three events of one command have in common, and what they need of each other. */
export interface Trace {
  readonly common: Omit<EventMap['commandStarted'], 'command'>;
  readonly began: Millis;
  readonly redacted: boolean;
}

export interface CommandEventsDeps {
  readonly clock: Clock;
  readonly events: EventSink;
  readonly wire: WireCodec;
}

/** The server's own words may quote what must not be told. */
const redactError = (name: string, error: MongoError): MongoError =>
  error.kind !== 'server'
    ? error
    : new MongoError('server', `'${name}' failed; what the server said is not told`, {
        code: error.code,
        codeName: error.codeName,
        labels: error.labels,
      });

/** Rule: Command Logging and Monitoring. Nothing is built that nobody wants. */
export class CommandEvents {
  readonly #clock: Clock;
  readonly #events: EventSink;
  readonly #wire: WireCodec;

  constructor({ clock, events, wire }: CommandEventsDeps) {
    this.#clock = clock;
    this.#events = events;
    this.#wire = wire;
  }

  /** Before the command is sent. Undefined if nobody listens. */
  started(over: Connection, message: Message, requestId: number, frame: Uint8Array): Trace | undefined {
    const events = this.#events;
    const wanted = events.wants('commandStarted');
    if (!wanted && !events.wants('commandSucceeded') && !events.wants('commandFailed')) return undefined;
    const { db, name, operationId } = message;
    const command = wanted || isHello(name) ? this.#wire.document(frame) : {};
    const redacted = isSensitive(name) || (isHello(name) && 'speculativeAuthenticate' in command);
    const common = {
      address: over.address,
      connectionId: over.id,
      serverConnectionId: over.hello.connectionId,
      serviceId: over.hello.serviceId,
      requestId,
      operationId,
      databaseName: db,
      commandName: name,
    };
    const trace = { common, redacted, began: this.#clock.now() };
    if (wanted) events.emit({ name: 'commandStarted', ...common, command: redacted ? {} : command });
    return trace;
  }

  /**
   * A reply: `ok: 0` is a failure, and so is what cannot be read. Rule: CLAM, "Succeeded or Failed".
   * @throws what the codec found
   */
  answered(trace: Trace, reply: Reply): void {
    const { address, commandName } = trace.common;
    const origin: Origin = { phase: 'command', sent: true, address };
    let isOk: boolean;
    let document: Document;
    try {
      isOk = reply.ok;
      document = isOk && (trace.redacted || !this.#events.wants('commandSucceeded')) ? {} : reply.document();
    } catch (cause) {
      this.failed(trace, unreadable(cause, origin));
      throw cause;
    }
    if (!isOk) this.failed(trace, serverError(document, origin, commandName));
    else if (this.#events.wants('commandSucceeded')) this.#succeeded(trace, document);
  }

  /** Rule: CLAM, "Unacknowledged/Acknowledged Writes". */
  unanswered(trace: Trace): void {
    if (this.#events.wants('commandSucceeded')) this.#succeeded(trace, { ok: 1 });
  }

  failed(trace: Trace, error: MongoError): void {
    if (!this.#events.wants('commandFailed')) return;
    const failure = trace.redacted ? redactError(trace.common.commandName, error) : error;
    this.#events.emit({ name: 'commandFailed', ...trace.common, duration: this.#clock.now() - trace.began, failure });
  }

  #succeeded(trace: Trace, reply: Document): void {
    this.#events.emit({ name: 'commandSucceeded', ...trace.common, duration: this.#clock.now() - trace.began, reply });
  }
}

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

/** The fields that the three events of one command share, and the state between them. */
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

/** Removes the server's error message, because it may quote credentials. */
const redactError = (name: string, error: MongoError): MongoError =>
  error.kind !== 'server'
    ? error
    : new MongoError(
        'server',
        `'${name}' failed. The server's message is omitted because it may contain credentials.`,
        {
          code: error.code,
          codeName: error.codeName,
          labels: error.labels,
        },
      );

/** Builds and emits command events, each only if a listener wants it. Rule: Command Logging and Monitoring. */
export class CommandEvents {
  readonly #clock: Clock;
  readonly #events: EventSink;
  readonly #wire: WireCodec;

  constructor({ clock, events, wire }: CommandEventsDeps) {
    this.#clock = clock;
    this.#events = events;
    this.#wire = wire;
  }

  /** Emits commandStarted before the command is sent. Returns undefined if no listener wants a command event. */
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
   * Emits commandSucceeded or commandFailed for a reply. `ok: 0` and a reply that cannot be decoded are failures.
   * Rule: Command Logging and Monitoring, "Succeeded or Failed".
   * @throws the error of the codec if the reply cannot be decoded
   */
  answered(trace: Trace, reply: Reply): void {
    const origin: Origin = { phase: 'command', sent: true, address: trace.common.address };
    let isOk: boolean;
    let document: Document;
    try {
      isOk = reply.ok;
      document = isOk && (trace.redacted || !this.#events.wants('commandSucceeded')) ? {} : reply.document();
    } catch (cause) {
      this.failed(trace, unreadable(cause, origin));
      throw cause;
    }
    // The event has fields for the command and the server, so the message is that of the server.
    if (!isOk) this.failed(trace, serverError(document, origin));
    else if (this.#events.wants('commandSucceeded')) this.#succeeded(trace, document);
  }

  /** Emits commandSucceeded for a write without a reply. Rule: CLAM, "Unacknowledged/Acknowledged Writes". */
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

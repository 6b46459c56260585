import type { Clock, Millis, Timer } from '@tessera/contracts';
import { difference } from './pattern.js';
import type { Plain } from './plain.js';
import type { ScriptedConnection, ScriptedRequest } from './request.js';
import { canonical, isNamed } from './request.js';
import type { Transcript } from './transcript.js';
import { ScriptError, commandLine } from './transcript.js';

/**
 * A sequence of requests that the pipe compares with expectations in order. `monitor`: every hello of a monitor or a
 * handshake, because they look the same on the wire. `app`: all other commands. A connection: all of its requests.
 * Expectations of a connection take precedence.
 */
export type Lane = 'app' | 'monitor' | ScriptedConnection;

/** The options of `BlackPipe.expect`. */
export interface ExpectOptions {
  /** The lane in which the request is expected. Default: `monitor` for a hello, else `app`. */
  readonly lane?: Lane;
  /** How long to wait for the request, in milliseconds. Default: 10,000. */
  readonly within?: Millis;
}

interface Expectation {
  readonly command: string;
  readonly subset: Plain;
  readonly lane: Lane;
  readonly timer: Timer;
  readonly resolve: (request: ScriptedRequest) => void;
  readonly reject: (error: ScriptError) => void;
}

const laneOf = (name: string): 'app' | 'monitor' => (canonical(name) === 'hello' ? 'monitor' : 'app');

const covers = (lane: Lane, { name, connection }: ScriptedRequest): boolean =>
  typeof lane === 'string' ? lane === laneOf(name) : lane === connection;

const defaultLimit: Millis = 10_000;

/** The requests that have arrived and the expectations that wait. Within a lane, they are matched in order. */
export class Expectations {
  readonly #clock: Clock;
  readonly #transcript: Transcript;
  readonly #arrived: ScriptedRequest[] = [];
  readonly #waiting: Expectation[] = [];
  readonly #handedOut: ScriptedRequest[] = [];
  #closed = false;

  constructor(clock: Clock, transcript: Transcript) {
    this.#clock = clock;
    this.#transcript = transcript;
  }

  /**
   * Returns the next request of the lane, which must have this command and at least these fields.
   * @throws ScriptError if the next request is a different one, or none arrives in time
   */
  expect(command: string, subset: Plain = {}, options: ExpectOptions = {}): Promise<ScriptedRequest> {
    const { lane = laneOf(command), within = defaultLimit } = options;
    const promise = new Promise<ScriptedRequest>((resolve, reject) => {
      const timer = this.#clock.startTimer(
        within,
        () => {
          this.#waiting.splice(this.#waiting.indexOf(expectation), 1);
          reject(new ScriptError(`No ${command} arrived within ${within} ms.`, this.#transcript));
        },
        { background: true },
      );
      const expectation: Expectation = { command, subset, lane, timer, resolve, reject };
      const at = this.#arrived.findIndex(request => covers(lane, request));
      if (this.#closed) this.#fail(expectation, 'The black pipe is closed.');
      else if (at === -1) this.#waiting.push(expectation);
      else this.#meet(expectation, this.#arrived.splice(at, 1)[0]!);
    });
    // Prevents an unhandled rejection if the test never awaits the promise. `close` reports the unmet expectation.
    promise.catch(() => undefined);
    return promise;
  }

  /** Whether the first expectation for the request's lanes has the same command. */
  wants(request: ScriptedRequest): boolean {
    const first = this.#firstFor(request);
    return first !== undefined && isNamed(request.name, first.command);
  }

  arrive(request: ScriptedRequest): void {
    const first = this.#firstFor(request);
    if (first === undefined) {
      this.#arrived.push(request);
      return;
    }
    this.#waiting.splice(this.#waiting.indexOf(first), 1);
    this.#meet(first, request);
  }

  /**
   * Rejects all expectations. Returns a description of each unmet expectation, unexpected request and missing answer.
   */
  close(): readonly string[] {
    this.#closed = true;
    const unmet = this.#waiting.splice(0);
    const unexpected = this.#arrived.splice(0);
    for (const one of unmet) this.#fail(one, `The expected ${one.command} never arrived.`);
    return [
      ...unmet.map(({ command }) => `the expected ${command} never arrived`),
      ...unexpected.map(
        ({ name, body, connection }) => `unexpected request #${connection.id} ${commandLine(name, body)}`,
      ),
      ...this.#handedOut.splice(0).flatMap(({ owed }) => (owed === undefined ? [] : [`no answer to ${owed}`])),
    ];
  }

  /** Returns the first expectation for a request. Expectations of a connection precede those of a lane. */
  #firstFor(request: ScriptedRequest): Expectation | undefined {
    const fitting = this.#waiting.filter(({ lane }) => covers(lane, request));
    return fitting.find(({ lane }) => typeof lane !== 'string') ?? fitting[0];
  }

  #meet(expectation: Expectation, request: ScriptedRequest): void {
    const { command, subset, timer, resolve } = expectation;
    const wrong = isNamed(request.name, command)
      ? difference(subset, request.body)
      : `expected ${command}, but got ${request.name}`;
    if (wrong === undefined) {
      timer.cancel();
      this.#handedOut.push(request);
      resolve(request);
      return;
    }
    const sentence = `The next request does not match: ${wrong}`;
    if (!request.silent) request.error(59, { message: sentence });
    this.#fail(expectation, `${sentence}.`);
  }

  #fail({ timer, reject }: Expectation, what: string): void {
    timer.cancel();
    reject(new ScriptError(what, this.#transcript));
  }
}

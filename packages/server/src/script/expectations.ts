import type { Clock, Millis, Timer } from '@tessera/contracts';
import { difference } from './pattern.js';
import type { Plain } from './plain.js';
import type { ScriptedConnection, ScriptedRequest } from './request.js';
import { canonical, isNamed } from './request.js';
import type { Transcript } from './transcript.js';
import { ScriptError, told } from './transcript.js';

/**
 * Where an expectation looks: `monitor` is every hello, of monitors and of handshakes alike, for nothing on the wire tells
 * them apart; `app` every other command; or all requests of one connection.
 */
export type Lane = 'app' | 'monitor' | ScriptedConnection;

export interface ExpectOptions {
  /** That of the command if left out. */
  readonly lane?: Lane;
  /** How long to wait for it. Default 10,000 milliseconds. */
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

/** Requests that came and expectations that wait, each in order: the first of a lane meets the first of that lane. */
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
   * The next request of the lane, which must be this command with at least these fields.
   * @throws ScriptError if another one came, or none in time
   */
  expect(command: string, subset: Plain = {}, options: ExpectOptions = {}): Promise<ScriptedRequest> {
    const { lane = laneOf(command), within = defaultLimit } = options;
    const promise = new Promise<ScriptedRequest>((resolve, reject) => {
      const timer = this.#clock.startTimer(
        within,
        () => {
          this.#waiting.splice(this.#waiting.indexOf(expectation), 1);
          reject(new ScriptError(`No ${command} came within ${within} ms.`, this.#transcript));
        },
        { background: true },
      );
      const expectation: Expectation = { command, subset, lane, timer, resolve, reject };
      const at = this.#arrived.findIndex(request => covers(lane, request));
      if (this.#closed) this.#fail(expectation, 'The black pipe is closed.');
      else if (at === -1) this.#waiting.push(expectation);
      else this.#meet(expectation, this.#arrived.splice(at, 1)[0]!);
    });
    // Who never awaits it hears of it at the end, by `close`.
    promise.catch(() => undefined);
    return promise;
  }

  /** Whether the first expectation of the request's lanes is for that very command. */
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

  /** Nobody waits any more. Answers what is left over, in words: expectations, requests, and answers that are owed. */
  close(): readonly string[] {
    this.#closed = true;
    const unmet = this.#waiting.splice(0);
    const unexpected = this.#arrived.splice(0);
    for (const one of unmet) this.#fail(one, `${one.command} was expected and never came.`);
    return [
      ...unmet.map(({ command }) => `${command} was expected and never came`),
      ...unexpected.map(({ name, body, connection }) => `nobody expected #${connection.id} ${told(name, body)}`),
      ...this.#handedOut.splice(0).flatMap(({ owed }) => (owed === undefined ? [] : [`nobody answered ${owed}`])),
    ];
  }

  /** Whoever expects a connection's requests goes before those who expect a lane's. */
  #firstFor(request: ScriptedRequest): Expectation | undefined {
    const fitting = this.#waiting.filter(({ lane }) => covers(lane, request));
    return fitting.find(({ lane }) => typeof lane !== 'string') ?? fitting[0];
  }

  #meet(expectation: Expectation, request: ScriptedRequest): void {
    const { command, subset, timer, resolve } = expectation;
    const wrong = isNamed(request.name, command)
      ? difference(subset, request.body)
      : `it is to be ${command}, and is ${request.name}`;
    if (wrong === undefined) {
      timer.cancel();
      this.#handedOut.push(request);
      resolve(request);
      return;
    }
    const sentence = `The next request is not as expected: ${wrong}`;
    if (!request.silent) request.error(59, { message: sentence });
    this.#fail(expectation, `${sentence}.`);
  }

  #fail({ timer, reject }: Expectation, what: string): void {
    timer.cancel();
    reject(new ScriptError(what, this.#transcript));
  }
}

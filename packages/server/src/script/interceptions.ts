import type { Clock, Millis, Soon, Timer } from '@tessera/contracts';
import type { Answer, Peer } from '../wire/connection.js';
import type { Request } from '../wire/message.js';
import { difference } from './pattern.js';
import type { Plain } from './plain.js';
import { connectionOf, isNamed, ScriptedRequest } from './request.js';
import { ScriptError, commandLine, replyLine, Transcript } from './transcript.js';

/** The options of `Server.intercept`. */
export interface InterceptOptions {
  /**
   * `received`: intercepts the request before the server executes it. `applied`: the server executes the command, but
   * its reply is sent only if the test calls `proceed`. Default: `received`.
   */
  readonly at?: 'received' | 'applied';
  /** How long to wait for the request, in milliseconds. Default: 10,000. */
  readonly within?: Millis;
}

interface Interception {
  readonly command: string;
  readonly subset: Plain;
  readonly at: 'received' | 'applied';
  readonly timer: Timer;
  readonly resolve: (request: ScriptedRequest) => void;
  readonly reject: (error: ScriptError) => void;
}

const defaults: Required<InterceptOptions> = { at: 'received', within: 10_000 };

/** Requests of a real server that a test intercepts. Each interception applies to one request. */
export class Interceptions {
  readonly #clock: Clock;
  readonly #transcript: Transcript;
  readonly #waiting: Interception[] = [];
  readonly #handedOut: ScriptedRequest[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#transcript = new Transcript(clock);
  }

  /** Whether any interception is waiting for a request. */
  get armed(): boolean {
    return this.#waiting.length > 0;
  }

  /**
   * Returns the next request with this command and at least these fields.
   * @throws ScriptError if none arrives in time
   */
  intercept(command: string, subset: Plain = {}, options: InterceptOptions = {}): Promise<ScriptedRequest> {
    const { at, within } = { ...defaults, ...options };
    const promise = new Promise<ScriptedRequest>((resolve, reject) => {
      const timer = this.#clock.startTimer(
        within,
        () => {
          this.#waiting.splice(this.#waiting.indexOf(one), 1);
          reject(new ScriptError(`No ${command} arrived within ${within} ms.`, this.#transcript));
        },
        { background: true },
      );
      const one: Interception = { command, subset, at, timer, resolve, reject };
      this.#waiting.push(one);
    });
    // Prevents an unhandled rejection if the test never awaits the promise. Closing the server reports the unmet
    // interception.
    promise.catch(() => undefined);
    return promise;
  }

  /** Returns the answer to a request: that of the test if the request is intercepted, else that of the server. */
  answer(request: Request, peer: Peer, real: () => Soon<Answer>): Soon<Answer | undefined> {
    const name = request.body.entries()[0]?.[0] ?? '';
    const one = this.#waiting.find(
      ({ command, subset }) => isNamed(name, command) && difference(subset, request.body) === undefined,
    );
    if (one === undefined) return real();
    this.#waiting.splice(this.#waiting.indexOf(one), 1);
    one.timer.cancel();
    return one.at === 'received' ? this.#hand(one, request, peer, real) : this.#handApplied(one, request, peer, real);
  }

  async #handApplied(
    one: Interception,
    request: Request,
    peer: Peer,
    real: () => Soon<Answer>,
  ): Promise<Answer | undefined> {
    const answer = await real();
    return this.#hand(one, request, peer, () => answer, `applied: ${replyLine(answer.doc)}`);
  }

  #hand(
    { resolve }: Interception,
    request: Request,
    peer: Peer,
    real: () => Soon<Answer>,
    applied = 'received',
  ): Promise<Answer | undefined> {
    const { clock, transcript } = { clock: this.#clock, transcript: this.#transcript };
    transcript.came(peer.id, `${commandLine(request.body.entries()[0]![0], request.body)} (${applied})`);
    return new Promise(answer => {
      const carrier = { clock, transcript, peer, connection: connectionOf(peer), real };
      const held = new ScriptedRequest(request, carrier, answer);
      this.#handedOut.push(held);
      resolve(held);
    });
  }

  /**
   * Rejects all interceptions.
   * @throws ScriptError if an intercepted request was not answered, or an expected request never arrived
   */
  close(): void {
    const unmet = this.#waiting.splice(0);
    const problems = [
      ...unmet.map(({ command }) => `the ${command} to intercept never arrived`),
      ...this.#handedOut.splice(0).flatMap(({ owed }) => (owed === undefined ? [] : [`no answer to ${owed}`])),
    ];
    for (const { command, timer, reject } of unmet) {
      timer.cancel();
      reject(new ScriptError(`The ${command} to intercept never arrived.`, this.#transcript));
    }
    if (problems.length > 0)
      throw new ScriptError(`The script was not completed: ${problems.join('; ')}.`, this.#transcript);
  }
}

import { EJSON } from 'bson';
import type { Document } from 'bson';
import { cursorOf, documentOf, judgeReply } from '../judge.js';
import { frameOfCommand, unwrap } from '../message.js';
import type { Watch } from '../play.js';
import { exitedSoon } from '../play.js';
import type { Target, Violation } from '../target.js';
import type { WireClient } from '../wire-client.js';
import { openClient } from '../wire-client.js';
import type { DoorCase } from './cases.js';
import { content, naming, nobody } from './people.js';
import { login } from './scram.js';
import type { Step } from './strangers.js';
import type { Vault } from './vault.js';

/** The time within which the server must answer, or close a connection whose client has left, in milliseconds. */
const patience = 15_000;

/** How long to wait for a reply to bytes that may be incomplete, in milliseconds. */
const grace = 4;

/** A case that failed, with the frames that were sent. */
export interface Failed {
  readonly violation: Violation;
  readonly frames: readonly Buffer[];
}

const secretsOf = (vault: Vault, learnsNames: boolean): readonly string[] => [
  content,
  ...vault.credentials,
  ...(learnsNames ? [] : [naming]),
];

/** Returns a violation if a reply is invalid or contains what its user may not read. */
const judged = (reply: Buffer, secrets: readonly string[]): Violation | undefined => {
  const wrong = judgeReply(reply);
  if (wrong !== undefined) return wrong;
  const bytes = unwrap(reply);
  const found = secrets.find(each => bytes.includes(each));
  return found === undefined
    ? undefined
    : { kind: 'leak', what: `The reply contains "${found}": ${EJSON.stringify(documentOf(reply)).slice(0, 1_000)}` };
};

/** Returns a violation if a client before login is logged in as another user than the one without roles. */
const judgeLogin = (status: Document): Violation | undefined => {
  const users = ((status['authInfo'] as Document | undefined)?.['authenticatedUsers'] ?? []) as Document[];
  const wrong = users.find(({ user }) => user !== nobody.name);
  return wrong && { kind: 'login', what: `The client is logged in as ${EJSON.stringify(wrong)}` };
};

class Player {
  readonly frames: Buffer[] = [];
  readonly client: WireClient;
  readonly vault: Vault;
  readonly watch: Watch;
  readonly secrets: readonly string[];
  /** Whether every frame so far was complete, so that the server must reply to the next one. */
  #isInStep = true;
  #last: Document | undefined;
  #cursor: bigint | undefined;

  constructor(client: WireClient, vault: Vault, watch: Watch, secrets: readonly string[]) {
    this.client = client;
    this.vault = vault;
    this.watch = watch;
    this.secrets = secrets;
  }

  /** Sends a step, and returns the violation of its reply. */
  async step({ bytes, isComplete }: Step): Promise<Violation | undefined> {
    const world = { ...this.vault.world, ...(this.#cursor !== undefined && { ownCursor: this.#cursor }) };
    const frame = bytes({ world, last: this.#last });
    this.frames.push(frame);
    this.client.send(frame);
    const wrong = await this.watch.look();
    if (wrong !== undefined) return wrong;
    this.#isInStep &&= isComplete;
    const reply = await this.client.next(this.#isInStep ? patience : grace);
    if (reply === undefined)
      return this.#isInStep && this.client.isOpen ? { kind: 'hang', what: 'The request was not answered' } : undefined;
    const found = judged(reply, this.secrets);
    if (found !== undefined) return found;
    this.#last = documentOf(reply);
    this.#cursor = cursorOf(reply) ?? this.#cursor;
    return undefined;
  }

  /** Returns the violation of replies that came later, and of the end of the connection. */
  async end(isStranger: boolean): Promise<Violation | undefined> {
    if (isStranger) {
      this.client.send(frameOfCommand({ connectionStatus: 1 }, 'admin'));
      this.client.send(frameOfCommand({ find: 'c' }, 'vault'));
      await this.client.next(grace);
    }
    if (!(await this.client.end(patience)))
      return { kind: 'hang', what: 'The server did not close the connection after its client had left' };
    for (const reply of this.client.replies) {
      const wrong = judged(reply, this.secrets) ?? (isStranger ? judgeLogin(documentOf(reply)) : undefined);
      if (wrong !== undefined) return wrong;
    }
    return undefined;
  }
}

/** Sends a case on its own connection, and returns what its replies violate, if anything. */
export const playDoor = async (
  target: Target,
  vault: Vault,
  watch: Watch,
  { person, steps }: DoorCase,
): Promise<Failed | undefined> => {
  const client = await openClient(target.port);
  const player = new Player(client, vault, watch, secretsOf(vault, person?.learnsNames ?? false));
  try {
    if (person !== undefined) await login(client, person.name);
    let violation: Violation | undefined;
    for (const step of steps) {
      violation = await player.step(step);
      if (violation !== undefined || !client.isOpen) break;
    }
    violation ??= await player.end(person === undefined);
    return violation && { violation, frames: player.frames };
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error);
    return { violation: (await exitedSoon(target)) ?? { kind: 'hang', what }, frames: player.frames };
  } finally {
    client.close();
  }
};

import type { BodyWriter, Document, ManyReplies, Message, Millis, MongoError, Reply } from '@tessera/contracts';

export interface CommandOutcome {
  resolve(reply: Document): void;
  reject(error: MongoError): void;
  /** The error for `ok: 0`. */
  refused(name: string, reply: Document): MongoError;
}

/** A command as a document, its reply as a promise's value: the slow, easy way. */
export class CommandMessage implements Message {
  readonly db: string;
  readonly name: string;
  readonly operationId: number = 0;
  readonly answer: Message['answer'];
  readonly replyLimit: Millis | undefined;
  readonly #command: Document;
  readonly #outcome: CommandOutcome;
  readonly #many: ManyReplies | undefined;
  #reply: Document = {};
  #ok = false;

  constructor(db: string, command: Document, outcome: CommandOutcome, many: ManyReplies | undefined) {
    this.db = db;
    this.name = Object.keys(command)[0] ?? '';
    this.answer = many === undefined ? 'one' : 'many';
    this.replyLimit = many?.limit;
    this.#command = command;
    this.#outcome = outcome;
    this.#many = many;
  }

  body(writer: BodyWriter): void {
    writer.fields(this.#command);
    writer.value('$db', this.db);
  }

  reply(reply: Reply): void {
    this.#ok = reply.ok;
    this.#reply = reply.document();
    if (this.#ok) this.#many?.received(this.#reply);
    // No more can be expected of it, whatever it says.
    else if (this.#many !== undefined) throw this.#outcome.refused(this.name, this.#reply);
  }

  end(): void {
    if (this.#ok) this.#outcome.resolve(this.#reply);
    else this.#outcome.reject(this.#outcome.refused(this.name, this.#reply));
  }

  fail(error: MongoError): void {
    this.#outcome.reject(error);
  }
}

import type { BodyWriter, Document, ManyReplies, Message, Millis, MongoError, Reply } from '@tessera/contracts';

export interface CommandOutcome {
  resolve(reply: Document): void;
  reject(error: MongoError): void;
  /** Creates the error for a reply with `ok: 0`. */
  refused(name: string, reply: Document): MongoError;
}

/**
 * A message whose command is a document and whose reply settles a promise. Operations use messages of their own, which
 * allocate less.
 */
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
    // The reply is an error: the caller cannot expect more replies, even if it sets `moreToCome`.
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

import type { BodyWriter, Document, Message, MongoError, Reply } from '@tessera/contracts';

/** A command as a document, its reply as a promise's value: the slow, easy way. */
export class CommandMessage implements Message {
  readonly db: string;
  readonly name: string;
  readonly operationId: number = 0;
  readonly answer = 'one' as const;
  readonly #command: Document;
  readonly #settle: (reply: Document, ok: boolean) => void;
  readonly #reject: (error: MongoError) => void;
  #reply: Document = {};
  #ok = false;

  constructor(
    db: string,
    command: Document,
    settle: (reply: Document, ok: boolean) => void,
    reject: (error: MongoError) => void,
  ) {
    this.db = db;
    this.name = Object.keys(command)[0] ?? '';
    this.#command = command;
    this.#settle = settle;
    this.#reject = reject;
  }

  body(writer: BodyWriter): void {
    writer.fields(this.#command);
    writer.value('$db', this.db);
  }

  reply(reply: Reply): void {
    this.#ok = reply.ok;
    this.#reply = reply.document();
  }

  end(): void {
    this.#settle(this.#reply, this.#ok);
  }

  fail(error: MongoError): void {
    this.#reject(error);
  }
}

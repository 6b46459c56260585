import type {
  BodyWriter,
  BsonCodec,
  Document,
  Elements,
  Message,
  SectionWriter,
  ServerApi,
  Writing,
} from '@tessera/contracts';

const fieldsOf = ({ version, strict, deprecationErrors }: ServerApi): Document => ({
  apiVersion: version,
  ...(strict === undefined ? {} : { apiStrict: strict }),
  ...(deprecationErrors === undefined ? {} : { apiDeprecationErrors: deprecationErrors }),
});

/**
 * Wraps a message and appends the declared API version to its command. Handshakes, monitors and operations use it
 * alike. One object serves all messages, because a message is written in one call. If a getter sends another message
 * during that call, the object wraps that message and then returns to the first.
 * Rule: Stable API, "drivers MUST send the API version on every command".
 */
export class Declaration implements Writing {
  db = '';
  name = '';
  answer: Message['answer'] = 'one';
  sections: Writing['sections'];
  readonly #fields: Elements;
  #message: Writing | undefined;

  constructor({ bson }: { readonly bson: BsonCodec }, api: ServerApi) {
    this.#fields = bson.elements(fieldsOf(api));
  }

  with(message: Writing): Writing {
    this.#message = message;
    this.db = message.db;
    this.name = message.name;
    this.answer = message.answer;
    this.sections = message.sections === undefined ? undefined : this.#sections;
    return this;
  }

  body(writer: BodyWriter): void {
    const message = this.#message!;
    message.body(writer);
    if (this.#message !== message) this.with(message);
    writer.elements(this.#fields);
  }

  readonly #sections = (writer: SectionWriter): void => {
    const message = this.#message!;
    message.sections?.(writer);
    if (this.#message !== message) this.with(message);
  };
}

/** The length of the messages of one reply, in characters, after which further messages are empty. */
const mostInReply = 1 << 20;

/** The messages of the errors in one reply. MongoDB limits their size, because a command may have 100,000 statements. */
export class ErrorMessages {
  #count = 0;
  #length = 0;

  /** Adds a message, and returns it. After two messages and 1 MiB, it returns an empty message instead. */
  add(message: string): string {
    if (this.#count >= 2 && this.#length >= mostInReply) return '';
    this.#count += 1;
    this.#length += message.length;
    return message;
  }
}

/** Thrown when a step fails, with a message of one sentence and the log of the failed program. */
export class Failure extends Error {
  /** @param {string} sentence @param {string} [log] */
  constructor(sentence, log = '') {
    super(sentence);
    this.log = log;
  }
}

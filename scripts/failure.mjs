/** A step that failed: one plain sentence, and the log of whoever failed. */
export class Failure extends Error {
  /** @param {string} sentence @param {string} [log] */
  constructor(sentence, log = '') {
    super(sentence);
    this.log = log;
  }
}

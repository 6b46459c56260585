/**
 * What is needed cannot be had on this machine now: a language is not installed, a registry is out of reach. The message is one
 * sentence that says what is missing and what to do. It is nobody's defect: tests that need it count as skipped, with this reason.
 */
export class Unavailable extends Error {
  override readonly name = 'Unavailable';
}

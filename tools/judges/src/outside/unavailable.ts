/**
 * Thrown when a program or service that a test needs is not available on this machine: a language is not installed, or
 * a registry cannot be reached. The message states what is missing and what to do. Tests that need it count as skipped,
 * with this message as the reason.
 */
export class Unavailable extends Error {
  override readonly name = 'Unavailable';
}

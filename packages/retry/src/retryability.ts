import { isRetryableOverload } from '@tessera/contracts';
import type { MongoError, Operation, Request } from '@tessera/contracts';
import { isRetryableRead, isRetryableWrite } from './classify.js';
import type { gateDefaults, Gates } from './options.js';

/** Whether a failure lets its operation be retried, however often it was, and the reason in a sentence. */
export interface Retryability {
  readonly isRetryable: boolean;
  readonly because: string;
}

const retryable = (because: string): Retryability => ({ isRetryable: true, because });
const notRetryable = (because: string): Retryability => ({ isRetryable: false, because });

/** Rules: Retryable Reads; Retryable Writes; Client Backpressure, "Overload retry policy". */
export const retryabilityOf = (
  request: Request<unknown>,
  error: MongoError,
  gates: typeof gateDefaults,
): Retryability => {
  const { operation, session } = request;
  const { name, kind, answer } = operation;
  if (isOfClient(error)) return notRetryable('Not retried: it was refused or ended on this side, and would be again.');
  if (answer === 'none' && error.origin?.sent !== false)
    return notRetryable(`Not retried: ${name} is unacknowledged, so it may have been done.`);

  const closed = closedGate(operation, gates);
  if (isRetryableOverload(error)) {
    if (closed !== undefined) return notRetryable(`Not retried: the server is overloaded, but ${closed} is false.`);
    return retryable('The server is overloaded and has not begun with it.');
  }

  if (operation.retryable === false || kind === 'either')
    return notRetryable(`Not retried: ${name} could be done twice.`);
  if (session?.inTransaction === true && operation.retryable !== 'always')
    return notRetryable(`Not retried: ${name} is part of a transaction, which can only be tried again as a whole.`);
  if (answer === 'none') return notRetryable(`Not retried: ${name} is unacknowledged.`);
  if (closed !== undefined) return notRetryable(`Not retried: ${closed} is false.`);

  const isPassing = kind === 'read' ? isRetryableRead(error) : isRetryableWrite(error);
  return isPassing
    ? retryable(`${whatHappened(error)}, which may pass.`)
    : notRetryable(`Not retried: ${unlikelyToPass(error)}.`);
};

const isOfClient = ({ kind }: MongoError): boolean => kind === 'usage' || kind === 'aborted' || kind === 'closed';

/** The option that forbids it. A command of the application's own may be either. */
const closedGate = ({ kind, retryable }: Operation<unknown>, gates: typeof gateDefaults): keyof Gates | undefined => {
  if (retryable === 'always') return undefined;
  if (kind !== 'write' && !gates.retryReads) return 'retryReads';
  return kind !== 'read' && !gates.retryWrites ? 'retryWrites' : undefined;
};

const whatHappened = (error: MongoError): string => {
  switch (error.kind) {
    case 'timeout':
      return 'The server did not answer in time';
    case 'pool':
      return 'The pool was cleared by the failure of another operation';
    case 'server':
      return `The server answered with ${codeOf(error)}`;
    default:
      return 'The connection failed';
  }
};

const unlikelyToPass = (error: MongoError): string => {
  switch (error.kind) {
    case 'selection':
      return 'choosing a server had waited as long as it may';
    case 'pool':
    case 'timeout':
      return 'it had waited as long as it may';
    case 'server':
      return `${codeOf(error)} is not among the errors that pass by themselves`;
    case 'network':
      return 'the server does not support retryable writes';
    default:
      return 'it would only happen again';
  }
};

const codeOf = ({ code, codeName }: MongoError): string => {
  if (code === undefined) return 'an error without a code';
  return codeName === undefined ? `code ${code}` : `code ${code} (${codeName})`;
};

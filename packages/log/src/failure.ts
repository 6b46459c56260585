import { MongoError } from '@tessera/contracts';
import type { Write } from './form.js';

const detailsOf = ({ kind, code, codeName, labels }: MongoError): object => ({
  kind,
  ...(code === undefined ? {} : { code }),
  ...(codeName === undefined ? {} : { codeName }),
  ...(labels.length === 0 ? {} : { errorLabels: labels }),
});

/**
 * All that an error tells, and the errors that caused it; what the server answered is as long as a document may be.
 * Rule: Logging, "Representing Errors in Log Messages".
 */
export const failureText = (error: Error, write: Write): string => {
  let text = `${error.name}: ${error.message}`;
  if (MongoError.is(error)) {
    text += ` ${write(detailsOf(error))}`;
    if (error.reply !== undefined) text += `, reply: ${write(error.reply)}`;
  }
  return error.cause instanceof Error ? `${text}, cause: ${failureText(error.cause, write)}` : text;
};

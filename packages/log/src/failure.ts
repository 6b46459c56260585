import { MongoError } from '@tessera/contracts';
import type { Write } from './form.js';

const detailsOf = ({ kind, code, codeName, labels }: MongoError): object => ({
  kind,
  ...(code === undefined ? {} : { code }),
  ...(codeName === undefined ? {} : { codeName }),
  ...(labels.length === 0 ? {} : { errorLabels: labels }),
});

/**
 * Returns the details of an error and of its causes. The server's reply is limited to the maximum document length.
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

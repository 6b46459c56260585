/** A command layer that adds a comment to every command and records every reply. */
import { withExchange } from '@tessera/contracts';
import type { Exchange, Layer } from '@tessera/contracts';

export interface Signature {
  readonly layer: Layer;
  /** The results of all commands, in order. */
  readonly heard: readonly string[];
}

export const createSignature = (comment: string): Signature => {
  const heard: string[] = [];
  const exchange: Exchange = {
    append: writer => writer.value('comment', comment),
    received: reply => {
      heard.push(reply.ok ? 'ok' : `error ${String(reply.int('code'))}`);
    },
  };
  return {
    heard,
    layer: next => request => next(withExchange(request, exchange)),
  };
};

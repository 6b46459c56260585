import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Message } from '../message.js';
import { readMessage } from '../message.js';
import { isExcluded } from '../mutate/words.js';

const file = fileURLToPath(new URL('../../../corpus/frames.txt', import.meta.url));

/** The recorded traffic. The file has one frame per line, in base64. */
export interface Corpus {
  readonly frames: readonly Buffer[];
  readonly messages: readonly Message[];
}

export const writeCorpus = (frames: readonly Buffer[]): void => {
  writeFileSync(file, `${frames.map(frame => frame.toString('base64')).join('\n')}\n`);
};

const commandOf = ({ sections: [first] }: Message): string =>
  first !== undefined && 'nodes' in first ? (first.nodes[0]?.name ?? '') : '';

export const readCorpus = (): Corpus => {
  const frames = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map(line => Buffer.from(line, 'base64'));
  const messages = frames.map(readMessage).filter(message => message !== undefined);
  return { frames, messages: messages.filter(message => !isExcluded(commandOf(message))) };
};

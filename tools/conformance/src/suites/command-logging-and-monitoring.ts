import { createNode } from '@tessera/node';
import type { Suite } from '../suite.js';
import { runUnified } from '../unified/run.js';

/** Whether the driver tells of its commands what it should, in events and in its log. */
export const run: Suite = async files => {
  const { crypto } = createNode();
  return (await Promise.all(files.map(file => runUnified(file, crypto)))).flat();
};

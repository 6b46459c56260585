import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { EJSON } from 'bson';
import type { Case } from './cases.js';
import type { Found } from './fuzz.js';
import { documentOf } from './judge.js';
import type { Subject } from './target.js';

/** The content of a replay file, with the frames in base64. */
interface Written {
  readonly violation: string;
  readonly options: Subject;
  readonly cases: readonly (readonly string[])[];
}

export const writeReplay = (file: string, { violation, options, cases }: Found): void => {
  mkdirSync(dirname(file), { recursive: true });
  const written: Written = {
    violation: `${violation.kind}: ${violation.what}`,
    options,
    cases: cases.map(({ frames }) => frames.map(frame => frame.toString('base64'))),
  };
  writeFileSync(file, `${JSON.stringify(written, null, 2)}\n`);
};

export const readReplay = (file: string): { readonly options: Subject; readonly cases: readonly Case[] } => {
  const { options, cases } = JSON.parse(readFileSync(file, 'utf8')) as Written;
  return { options, cases: cases.map(frames => ({ frames: frames.map(frame => Buffer.from(frame, 'base64')) })) };
};

/** Formats a frame for people, decoded if possible. */
export const shown = (frame: Buffer): string => {
  try {
    return EJSON.stringify(documentOf(frame)).slice(0, 1_500);
  } catch {
    return `${frame.length} bytes ${frame.subarray(0, 100).toString('hex')}`;
  }
};

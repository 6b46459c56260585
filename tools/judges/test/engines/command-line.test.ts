import { Mistake } from '@tessera-tools/house';
import { describe, expect, test } from 'vitest';
import { readWish } from '../../src/engines/wish.js';

const secantusdb = { name: 'secantusdb', standalone: false };
const all = ['secantusdb', 'mongo-java-server', 'ferretdb'].map(name => ({ name, standalone: false }));

describe('the command line', () => {
  test.for([
    [[], { kind: 'table', chosen: all }],
    [['secantusdb'], { kind: 'tests', chosen: [secantusdb], table: false }],
    [['--short'], { kind: 'tests', chosen: [secantusdb], table: true }],
    [['--all'], { kind: 'tests', chosen: all, table: true }],
    [['secantusdb', '--standalone'], { kind: 'tests', chosen: [{ ...secantusdb, standalone: true }], table: false }],
    [['ferretdb', '--', 'npm', 'start'], { kind: 'command', chosen: [all[2]], command: ['npm', 'start'] }],
    [
      ['secantusdb', '--', 'a', '--', '--all'],
      { kind: 'command', chosen: [secantusdb], command: ['a', '--', '--all'] },
    ],
  ] as const)('%j', ([given, wish]) => {
    expect(readWish(given)).toEqual(wish);
  });

  test.for([
    [['mongod'], 'There is no engine "mongod": secantusdb, mongo-java-server, ferretdb.'],
    [['--fast'], 'There is no option --fast.'],
    [['secantusdb', '--'], 'A command is to follow the last `--`.'],
    [['--', 'npm', 'start'], 'Name an engine.'],
    [['--standalone'], 'Name an engine.'],
    [['ferretdb', '--all'], 'Name engines, or ask for --all or --short, not both.'],
  ] as const)('%j is a mistake', ([given, sentence]) => {
    expect(() => readWish(given)).toThrow(new Mistake(sentence));
  });
});

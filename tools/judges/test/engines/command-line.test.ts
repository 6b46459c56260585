import { Mistake } from '@tessera-tools/house';
import { describe, expect, test } from 'vitest';
import { readCommandLine } from '../../src/engines/command-line.js';

const secantusdb = { name: 'secantusdb', standalone: false };
const all = ['secantusdb', 'mongo-java-server', 'ferretdb'].map(name => ({ name, standalone: false }));

describe('readCommandLine of engines', () => {
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
  ] as const)('parses %j', ([given, commandLine]) => {
    expect(readCommandLine(given)).toEqual(commandLine);
  });

  test.for([
    [['mongod'], 'There is no engine "mongod". Choose from: secantusdb, mongo-java-server, ferretdb.'],
    [['--fast'], 'There is no option --fast.'],
    [['secantusdb', '--'], 'Write a command after "--".'],
    [['--', 'npm', 'start'], 'Name an engine.'],
    [['--standalone'], 'Name an engine.'],
    [['ferretdb', '--all'], 'Name engines, or use --all or --short, but not both.'],
  ] as const)('rejects %j', ([given, sentence]) => {
    expect(() => readCommandLine(given)).toThrow(new Mistake(sentence));
  });
});

import type { Entry } from '@tessera/mql/engine';
import { DateValue, Doc, isAtLeast } from '@tessera/mql/engine';
import { opTimeDoc } from '@tessera/store';
import { delayName } from './config-document.js';
import type { Member } from './member.js';
import type { MemberConfig } from './set-config.js';

type Fields = readonly Entry[];

/** Returns the members that hello lists. Hidden members are left out. */
const hostsOf = (members: readonly MemberConfig[]): Fields => {
  const shown = members.filter(({ hidden }) => !hidden);
  const named = (fits: (member: MemberConfig) => boolean): readonly string[] =>
    shown.filter(fits).map(({ host }) => host);
  const passives = named(({ arbiterOnly, priority }) => !arbiterOnly && priority === 0);
  const arbiters = named(({ arbiterOnly }) => arbiterOnly);
  return [
    ['hosts', named(({ arbiterOnly, priority }) => !arbiterOnly && priority > 0)],
    ...(passives.length > 0 ? ([['passives', passives]] as const) : []),
    ...(arbiters.length > 0 ? ([['arbiters', arbiters]] as const) : []),
  ];
};

/** Returns the fields of hello that depend on the member's configuration. */
const memberFields = (self: MemberConfig, { engine: { version } }: Member): Fields => {
  const tags = Object.entries(self.tags);
  return [
    ...(self.arbiterOnly ? ([['arbiterOnly', true]] as const) : []),
    ...(self.priority === 0 && !self.arbiterOnly ? ([['passive', true]] as const) : []),
    ...(self.hidden ? ([['hidden', true]] as const) : []),
    ...(self.buildIndexes ? [] : ([['buildIndexes', false]] as const)),
    ...(self.secondaryDelaySecs > 0
      ? ([
          [delayName(version), isAtLeast(version, '5.0') ? BigInt(self.secondaryDelaySecs) : self.secondaryDelaySecs],
        ] as const)
      : []),
    ...(tags.length > 0 ? ([['tags', Doc.of(tags)]] as const) : []),
  ];
};

const lastWrite = (member: Member): Doc => {
  const { committed } = member;
  return Doc.of([
    ['opTime', opTimeDoc(member.opTime)],
    ['lastWriteDate', member.lastWriteDate],
    ['majorityOpTime', opTimeDoc(committed.at)],
    ['majorityWriteDate', new DateValue(committed.wall)],
  ]);
};

/**
 * Returns the fields of hello about the set. Rule: SDAM, "hello".
 * @param name the field that says whether the member is writable: `isWritablePrimary` or `ismaster`
 */
export const membership = (member: Member, name: string): Fields => {
  const { self, config, primary } = member;
  if (self === undefined || member.state === 'startup') {
    return [
      [name, false],
      ['secondary', false],
      ['info', 'Does not have a valid replica set config'],
      ['isreplicaset', true],
    ];
  }
  return [
    ...hostsOf(config.members),
    ['setName', member.setName],
    ['setVersion', member.setVersion],
    [name, member.isPrimary],
    ['secondary', member.state === 'secondary'],
    ...(primary === undefined ? [] : ([['primary', primary.host]] as const)),
    ...memberFields(self, member),
    ['me', member.host],
    ...(member.isPrimary ? ([['electionId', member.electionId]] as const) : []),
    ['lastWrite', lastWrite(member)],
  ];
};

/** The table of commands and stages, and the forms in which they are sent. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '@tessera-tools/house';
import type { BuiltIns } from './privileges.js';

const folder = join(root, 'packages', 'server', 'test', 'roles');

type Command = Readonly<Record<string, unknown>>;

/** The servers that have a command. */
export type Place = 'member' | 'mongos';

/** A command in one form, and the condition of running it. */
export interface Form {
  readonly command: Command;
  readonly db: string;
  readonly needs: string;
  readonly on: readonly Place[];
  /** Whether clients may run it before they log in. */
  readonly open: boolean;
}

interface CommandOptions {
  readonly db?: string;
  readonly on?: Place;
  readonly open?: boolean;
  /** Whether it can be explained. */
  readonly explain?: boolean;
}

interface StageOptions {
  readonly db?: string;
  /** The stage reads no collection, or the collection with this name. */
  readonly whole?: true | string;
  /** It must be the first stage. */
  readonly first?: boolean;
  /** It must be the last stage, and cannot be in another stage. */
  readonly last?: boolean;
  /** It cannot be in `$facet`. */
  readonly outside?: boolean;
  /** It cannot be in another pipeline. */
  readonly alone?: boolean;
  /** It replaces the documents of the collection. In its condition, `@` is the collection. */
  readonly instead?: boolean;
}

const everywhere: readonly Place[] = ['member', 'mongos'];

const formsOfCommand = (command: Command, needs: string, options: CommandOptions = {}): readonly Form[] => {
  const { db = 'shop', on, open = false, explain = false } = options;
  const form: Form = { command, db, needs, on: on === undefined ? everywhere : [on], open };
  if (!explain) return [form];
  const explained = { ...form, command: { explain: command } };
  return [form, explained, { ...explained, command: { ...explained.command, verbosity: 'queryPlanner' } }];
};

const aggregate = (target: unknown, pipeline: readonly unknown[]): Command => ({
  aggregate: target,
  pipeline,
  cursor: {},
});

const both = (...needs: readonly string[]): string => needs.filter(each => each !== '').join(', ');

/** The ways of adding a stage to a pipeline that reads `shop.c`. */
const formsOfStage = (stage: Command, needs: string, options: StageOptions = {}): readonly Form[] => {
  const { db = 'shop', whole, first, last, outside, alone, instead } = options;
  const form = (command: Command, condition: string): readonly Form[] => formsOfCommand(command, condition, { db });
  if (whole !== undefined) return form(aggregate(whole === true ? 1 : whole, [stage]), needs);
  const reading = (collection: string): string =>
    instead === true ? needs.replaceAll('@', collection) : both(`find ${collection}`, needs);
  const nested = (outer: Command): readonly Form[] => [
    ...form(aggregate('c', [outer]), both('find shop.c', reading('shop.h'))),
    ...form({ explain: aggregate('c', [outer]) }, both('find shop.c', reading('shop.h'))),
  ];
  const matching = [{ $match: { a: 1 } }, stage];
  const views: readonly Form[] = [
    { create: 'w', viewOn: 'c', pipeline: [stage] },
    { collMod: 'v', viewOn: 'c', pipeline: [stage] },
  ].flatMap(command => {
    const [action, view] = 'create' in command ? ['createCollection', 'shop.w'] : ['collMod', 'shop.v'];
    return form(
      command,
      `${action} ${view}, !find ${view} | ${both(`${action} ${view}`, `find ${view}`, reading('shop.c'))}`,
    );
  });
  return [
    ...form(aggregate('c', [stage]), reading('shop.c')),
    ...form({ aggregate: 'c', pipeline: [stage], explain: true }, reading('shop.c')),
    ...form({ explain: aggregate('c', [stage]) }, reading('shop.c')),
    ...(instead === true ? [] : form(aggregate('v', [stage]), reading('shop.v'))),
    ...(first === true ? [] : form(aggregate('c', matching), reading('shop.c'))),
    ...(first === true || last === true ? [] : form(aggregate('c', [stage, { $limit: 1 }]), reading('shop.c'))),
    ...(last === true || alone === true
      ? []
      : [
          ...nested({ $lookup: { from: 'h', pipeline: [stage], as: 'x' } }),
          ...nested({ $unionWith: { coll: 'h', pipeline: [stage] } }),
          ...views,
        ]),
    ...(first === true || last === true || outside === true
      ? []
      : form(aggregate('c', [{ $facet: { x: [stage] } }]), reading('shop.c'))),
    ...(first === true && alone !== true
      ? form(aggregate('c', [stage, { $facet: { x: [{ $match: { a: 1 } }] } }]), reading('shop.c'))
      : []),
  ];
};

const linesOf = (file: string): readonly unknown[] =>
  readFileSync(join(folder, file), 'utf8')
    .split('\n')
    .filter(line => line !== '')
    .map((line): unknown => JSON.parse(line));

/** Returns all forms of all commands and stages. */
export const readForms = (): readonly Form[] => [
  ...(linesOf('commands.jsonl') as [Command, string, CommandOptions?][]).flatMap(row => formsOfCommand(...row)),
  ...(linesOf('stages.jsonl') as [Command, string, StageOptions?][]).flatMap(row => formsOfStage(...row)),
];

/** Returns the built-in roles. */
export const readBuiltIns = (): BuiltIns =>
  (JSON.parse(readFileSync(join(folder, 'built-in.json'), 'utf8')) as { readonly roles: BuiltIns }).roles;

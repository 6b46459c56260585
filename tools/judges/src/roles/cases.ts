/** The users that send each form. */
import type { BuiltIns, Held, Privilege, RoleName } from './privileges.js';
import { allows, alternativesOf, heldBy } from './privileges.js';
import type { Form } from './table.js';

/**
 * A user: before login, with built-in roles, or with the role `probe`, which has privileges of its own. The user has the
 * role through another role if `inherits` is true.
 */
export type User =
  | { readonly kind: 'nobody' }
  | { readonly kind: 'built-in'; readonly roles: readonly RoleName[] }
  | { readonly kind: 'custom'; readonly privileges: readonly Privilege[]; readonly inherits: boolean };

/** A form that a user sends, and whether the user may. */
export interface Case {
  readonly form: Form;
  readonly allowed: boolean;
}

/** A user, and the cases of this user. */
export interface Group {
  readonly user: User;
  readonly cases: Case[];
}

const databases = ['shop', 'other', 'admin'];

const builtInUsers = (builtIns: BuiltIns): readonly User[] => [
  { kind: 'nobody' },
  { kind: 'built-in', roles: [] },
  ...Object.entries(builtIns).flatMap(([role, { everywhere }]) =>
    (everywhere === true ? databases : ['admin']).map((db): User => ({ kind: 'built-in', roles: [`${role}@${db}`] })),
  ),
];

const heldOf = (builtIns: BuiltIns, user: User): Held => {
  switch (user.kind) {
    case 'nobody':
      return { privileges: [], roles: [] };
    case 'built-in': {
      const held = user.roles.map(role => heldBy(builtIns, role));
      return { privileges: held.flatMap(each => each.privileges), roles: held.flatMap(each => each.roles) };
    }
    case 'custom':
      return { privileges: user.privileges, roles: ['probe@admin'] };
  }
};

/** The resource that is exactly a target. */
const exactly = (target: string): string => (target === 'cluster' || target.includes('.') ? target : `${target}.`);

/** Other resources than the target: wider ones, and some that do not include it. */
const around = (target: string): readonly string[] => {
  const [db = '', ...rest] = target.split('.');
  const collection = rest.join('.');
  return ['*', 'cluster', '.', `${db}.`, `.${collection}`, `else.${collection}`, `${db}.else`, 'else.'].filter(
    each => each !== 'cluster.',
  );
};

const privilegesOf = (requirements: readonly string[], place: (target: string) => string): readonly Privilege[] =>
  requirements.map(each => {
    const [action = '', target = ''] = each.split(' ');
    return [place(target), [action]];
  });

const isAction = (requirement: string): boolean => !/^[?=!]/.test(requirement);

/** Returns the users with custom roles that try a condition. @param everyAction all actions of the table */
const customUsers = (needs: string, everyAction: readonly string[]): readonly User[] => {
  const custom = (privileges: readonly Privilege[], inherits = false): User => ({
    kind: 'custom',
    privileges,
    inherits,
  });
  if (needs === 'never') return [custom([['*', ['anyAction']]])];
  const alternatives = alternativesOf(needs);
  const wanted = new Set(alternatives.flat().map(each => each.split(' ')[0]?.replace('!', '')));
  return [
    custom([['*', everyAction.filter(action => !wanted.has(action))]]),
    custom([['*', ['anyAction']]], true),
    ...alternatives.flatMap(all => {
      const actions = all.filter(isAction);
      if (actions.length === 0) return [];
      const exact = privilegesOf(actions, exactly);
      const refused = all.filter(each => each.startsWith('!')).map(each => each.slice(1));
      return [
        custom(exact),
        custom(exact, true),
        ...(exact.length > 1 ? exact.map((_, left) => custom(exact.filter((__, at) => at !== left))) : []),
        ...around('').map((_, at) => custom(privilegesOf(actions, target => around(target)[at] ?? exactly(target)))),
        ...(refused.length > 0 ? [custom([...exact, ...privilegesOf(refused, exactly)])] : []),
        custom(exact.map(([resource]) => [resource, ['anyAction']])),
      ];
    }),
  ];
};

/** Returns every case, grouped by user. */
export const groupsOf = (forms: readonly Form[], builtIns: BuiltIns): readonly Group[] => {
  const named = forms.flatMap(({ needs }) => alternativesOf(needs).flat());
  const everyAction = [...new Set(named.filter(isAction).map(each => each.split(' ')[0] ?? ''))]
    .filter(action => action !== 'never')
    .sort();
  const groups = new Map<string, Group>();
  const add = (user: User, form: Form): void => {
    const key = JSON.stringify(user);
    const group = groups.get(key) ?? { user, cases: [] };
    groups.set(key, group);
    const allowed = user.kind === 'nobody' ? form.open : allows(heldOf(builtIns, user), form.needs);
    group.cases.push({ form, allowed });
  };
  for (const user of builtInUsers(builtIns)) for (const form of forms) add(user, form);
  for (const form of forms) for (const user of customUsers(form.needs, everyAction)) add(user, form);
  return [...groups.values()];
};

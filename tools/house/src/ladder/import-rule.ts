import { isBuiltin } from 'node:module';
import { dirname, resolve, sep } from 'node:path';
import type { Context, CreateRule, ESTree, Visitor } from '@oxlint/plugins';
import { lintedSource } from './linted.js';
import type { Linted } from './linted.js';

type Message = 'builtin' | 'ours' | 'outside' | 'reach';

/** Returns whether a specifier names a package of this repository, or a path in it. */
const isOurs = (specifier: string): boolean => /^(?:@tessera(?:-\w+)?\/|tessera-)/.test(specifier);

/** Returns the package of a specifier: `name` or `@scope/name`. */
const packageOf = (specifier: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? specifier;

function judge(specifier: string, file: string, { rung, sources }: Linted): Message | undefined {
  if (specifier.startsWith('.')) {
    return resolve(dirname(file), specifier).startsWith(sources + sep) ? undefined : 'reach';
  }
  if (isBuiltin(specifier)) return rung.host === 'all' ? undefined : 'builtin';
  if (isOurs(specifier))
    return rung.imports.includes(specifier) || rung.entries?.includes(specifier) === true ? undefined : 'ours';
  return rung.outside.includes(packageOf(specifier)) ? undefined : 'outside';
}

/** Returns the visitor that checks the imports of a source. */
function checksOf(context: Readonly<Context>, linted: Linted): Visitor {
  const { name, imports, outside } = linted.rung;
  const list = (names: readonly string[], none: string): string =>
    names.length === 0 ? none : names.map(each => `\`${each}\``).join(', ');
  function check(node: ESTree.Node, from: ESTree.Node | null): void {
    if (from === null) return;
    if (from.type !== 'Literal' || typeof from.value !== 'string') {
      context.report({ node, messageId: 'dynamic' });
      return;
    }
    const specifier = from.value;
    const messageId = judge(specifier, context.filename, linted);
    if (messageId === undefined) return;
    const data = {
      specifier,
      name,
      ours: list(imports, 'no package of this repository'),
      outside: list(outside, 'no third-party package'),
    };
    context.report({ node, messageId, data });
  }
  return {
    ImportDeclaration: node => {
      check(node, node.source);
    },
    ExportNamedDeclaration: node => {
      check(node, node.source);
    },
    ExportAllDeclaration: node => {
      check(node, node.source);
    },
    ImportExpression: node => {
      check(node, node.source);
    },
    TSImportType: node => {
      check(node, node.source);
    },
    TSExternalModuleReference: node => {
      check(node, node.expression);
    },
  };
}

/** Allows only the imports that the table lists for the package, by package name. */
export const importRule: CreateRule = {
  meta: {
    type: 'problem',
    docs: { description: 'Packages import only `@tessera/contracts`; composition roots also import other packages.' },
    messages: {
      builtin:
        '`{{specifier}}` accesses the host: pass a contract of `@tessera/contracts` through the first argument. Only `packages/node` may import it.',
      ours: '`{{name}}` may import {{ours}}, not `{{specifier}}`: declare a contract, and let the composition root pass the implementation.',
      outside:
        '`{{name}}` may import {{outside}}, not `{{specifier}}`: add a new dependency to tools/house/src/ladder/table.ts.',
      reach: '`{{specifier}}` is outside the sources of `{{name}}`: import packages by name.',
      dynamic: 'The specifier of an import must be a string literal.',
    },
    schema: [],
  },
  create(context) {
    const linted = lintedSource(context.filename);
    return linted === undefined ? {} : checksOf(context, linted);
  },
};

import { join } from 'node:path';
import ts from 'typescript';
import { root } from './repository.js';

/** A declaration of the public API: an export, or a member of an exported class, interface or object type. */
export interface Declared {
  /** For instance `Collection`, `Collection.insertOne` or `Collection.constructor`. */
  readonly name: string;
  /** The folder of the package that declares it, such as `client`. */
  readonly folder: string;
  readonly isMethod: boolean;
  /** The text of the doc comment without its tags. Empty without a doc comment. */
  readonly text: string;
  /** The TypeScript code of its `@example` tags. */
  readonly examples: readonly string[];
}

const packagesFolder = join(root, 'packages').replaceAll('\\', '/');

/** Returns the folder of the package that contains the declaration, or undefined for a declaration from elsewhere. */
const folderOf = (node: ts.Node): string | undefined => {
  const { fileName } = node.getSourceFile();
  return fileName.startsWith(`${packagesFolder}/`) && !fileName.includes('/node_modules/')
    ? fileName.slice(packagesFolder.length + 1).split('/')[0]
    : undefined;
};

const withoutFence = (code: string): string => /^```(?:ts|typescript)?\n([\s\S]*?)```\s*$/.exec(code)?.[1] ?? code;

const textOf = (comment: string | ts.NodeArray<ts.JSDocComment> | undefined): string =>
  (ts.getTextOfJSDocComment(comment) ?? '').trim();

const describe = (name: string, node: ts.Declaration, folder: string): Declared => {
  const docs = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc);
  const tags = docs.flatMap(({ tags: each = [] }) => [...each]);
  const deprecated = tags.filter(({ tagName }) => tagName.text === 'deprecated');
  return {
    name,
    folder,
    isMethod: ts.isMethodDeclaration(node) || ts.isMethodSignature(node),
    text: [...docs, ...deprecated]
      .map(({ comment }) => textOf(comment))
      .join('\n')
      .trim(),
    examples: tags
      .filter(({ tagName }) => tagName.text === 'example')
      .map(({ comment }) => withoutFence(textOf(comment))),
  };
};

/**
 * Returns whether a member belongs to the public API: a member with a declared name that is not private. The members of
 * a condition such as `Schema extends { _id: unknown }` do not.
 */
const isPublic = (node: ts.Declaration): boolean => {
  if (ts.isTypeLiteralNode(node.parent) && ts.isConditionalTypeNode(node.parent.parent)) return false;
  if ((ts.getCombinedModifierFlags(node) & ts.ModifierFlags.Private) !== 0) return false;
  const name = ts.getNameOfDeclaration(node);
  return name === undefined ? ts.isConstructorDeclaration(node) : !ts.isPrivateIdentifier(name);
};

/** Returns the members of a class, an interface or an object type, also inherited ones. */
function membersOf(symbol: ts.Symbol, checker: ts.TypeChecker): readonly ts.Declaration[] {
  const isType = (symbol.flags & ts.SymbolFlags.Type) !== 0;
  const instance = isType ? checker.getDeclaredTypeOfSymbol(symbol).getProperties() : [];
  const isClass = (symbol.flags & ts.SymbolFlags.Class) !== 0;
  const fixed = isClass ? checker.getTypeOfSymbol(symbol).getProperties() : [];
  const constructors = (symbol.declarations ?? [])
    .filter(ts.isClassDeclaration)
    .flatMap(({ members }) => members.filter(ts.isConstructorDeclaration));
  const kinds = [
    ts.isMethodDeclaration,
    ts.isMethodSignature,
    ts.isPropertyDeclaration,
    ts.isPropertySignature,
    ts.isGetAccessor,
  ];
  const members = [...instance, ...fixed].flatMap(({ declarations = [] }) => declarations);
  return [...constructors, ...members.filter(node => kinds.some(is => is(node)))].filter(isPublic);
}

/** Returns the declarations of the packages' public API in the order of their names, each once. */
export function declaredBy(folders: readonly string[]): readonly Declared[] {
  const entries = folders.map(folder => join(root, 'packages', folder, 'dist', 'index.d.ts'));
  const options = { module: ts.ModuleKind.Node20, target: ts.ScriptTarget.ES2023, skipLibCheck: true, strict: true };
  const program = ts.createProgram(entries, { ...options, types: ['node'] });
  const checker = program.getTypeChecker();
  const found = new Map<ts.Declaration, Declared>();
  const add = (name: string, node: ts.Declaration): void => {
    const folder = folderOf(node);
    if (folder !== undefined && !found.has(node)) found.set(node, describe(name, node, folder));
  };
  for (const entry of entries) {
    const file = program.getSourceFile(entry);
    const module = file === undefined ? undefined : checker.getSymbolAtLocation(file);
    if (module === undefined) throw new Error(`${entry} is missing. Run \`npm run build\`.`);
    for (const exported of checker.getExportsOfModule(module)) {
      const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
      for (const node of symbol.declarations ?? []) add(exported.name, node);
      for (const node of membersOf(symbol, checker)) {
        const owner =
          ts.isClassLike(node.parent) || ts.isInterfaceDeclaration(node.parent) ? node.parent.name : undefined;
        const own = ts.isConstructorDeclaration(node) ? 'constructor' : ts.getNameOfDeclaration(node)!.getText();
        add(`${owner?.text ?? exported.name}.${own}`, node);
      }
    }
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

// Turns arrow functions that a module creates when it loads into functions with the keyword `function`. V8 reads the
// parameters of an arrow function twice, and compiles a body without braces at once, even if it never runs. Loading the
// driver takes a quarter less time to compile without such functions.
import ts from 'typescript';

/** @param {ts.Node} node @returns {boolean} whether the meaning of a name in the function depends on where it stands */
function dependsOnPlace(node) {
  if (node.kind === ts.SyntaxKind.ThisKeyword || node.kind === ts.SyntaxKind.SuperKeyword || ts.isMetaProperty(node))
    return true;
  if (ts.isIdentifier(node) && node.text === 'arguments') return true;
  if (ts.isClassLike(node) || (ts.isFunctionLike(node) && !ts.isArrowFunction(node))) return false;
  return ts.forEachChild(node, child => dependsOnPlace(child) || undefined) ?? false;
}

/**
 * Returns the module with the same functions. Functions within functions, and functions that use `this`, stay as they are.
 * @param {string} code
 * @returns {string}
 */
export function withFunctions(code) {
  const file = ts.createSourceFile('module.js', code, ts.ScriptTarget.ES2023, true, ts.ScriptKind.JS);
  /** @type {string[]} */
  const parts = [];
  let end = 0;

  /** @param {ts.ArrowFunction} arrow @param {string} name @param {ts.Node} whole the node that the function replaces */
  const replace = ({ modifiers, parameters, body }, name, whole) => {
    const [first] = parameters;
    const list = first === undefined ? '' : code.slice(first.getStart(), parameters.end);
    const block = ts.isBlock(body) ? body.getText() : `{\n  return ${body.getText()};\n}`;
    parts.push(code.slice(end, whole.getStart()));
    parts.push(`${modifiers === undefined ? '' : 'async '}function ${name}(${list}) ${block}`);
    end = whole.end;
  };

  /** @param {ts.Node} node @returns {node is ts.ArrowFunction} */
  const isReplaced = node =>
    ts.isArrowFunction(node) &&
    !code.slice(node.getFullStart(), node.getStart()).includes('__NO_SIDE_EFFECTS__') &&
    !dependsOnPlace(node);

  /** @param {ts.Node} node */
  const visit = node => {
    const [declaration, ...others] = ts.isVariableStatement(node) ? node.declarationList.declarations : [];
    const value = others.length === 0 ? declaration?.initializer : undefined;
    if (declaration !== undefined && value !== undefined && node.parent === file && isReplaced(value))
      replace(value, declaration.name.getText(), node);
    else if (isReplaced(node)) replace(node, '', node);
    else if (!ts.isFunctionLike(node) && !ts.isPropertyDeclaration(node) && !ts.isClassStaticBlockDeclaration(node))
      ts.forEachChild(node, visit);
  };
  visit(file);
  return parts.join('') + code.slice(end);
}

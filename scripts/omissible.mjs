// Lets bundlers omit unused values of a module. The modules of these packages have no side effects. A bundler cannot see
// this in one file, because calls, spreads and reads of properties may have effects. Such a value moves into a function
// whose call is marked as pure.
import ts from 'typescript';

/** @param {string} code @returns {string} the module with the function that names classes, if it is called */
const withHelper = code =>
  code.includes('withName("')
    ? // A function declaration, because classes are created before the end of the file.
      `${code}function withName(name, create) {
  return Object.defineProperty(create(), "name", { value: name });
}
`
    : code;

/** @param {ts.Node} node @returns {boolean} whether code runs only when somebody calls or creates the node's value */
const runsLater = node =>
  (ts.isFunctionLike(node) && !ts.isComputedPropertyName(node)) ||
  (ts.isPropertyDeclaration(node) && !node.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.StaticKeyword));

/** @param {ts.Node} node @returns {boolean} whether a bundler would keep the unused value */
const mayHaveEffects = node =>
  !runsLater(node) &&
  (ts.isCallExpression(node) ||
    ts.isNewExpression(node) ||
    ts.isPropertyAccessExpression(node) ||
    ts.isElementAccessExpression(node) ||
    ts.isSpreadElement(node) ||
    ts.isSpreadAssignment(node) ||
    ts.isClassStaticBlockDeclaration(node) ||
    (ts.forEachChild(node, child => mayHaveEffects(child) || undefined) ?? false));

/** @param {ts.Node} node @param {string} code @returns {boolean} whether the node is a call that is marked as pure already */
const isMarked = (node, code) =>
  (ts.isCallExpression(node) || ts.isNewExpression(node)) &&
  code.slice(node.getFullStart(), node.getStart()).includes('@__PURE__') &&
  !node.arguments?.some(mayHaveEffects);

/**
 * Returns the module with the same values, each created by a pure call if it may have effects.
 * @param {string} code
 * @returns {string}
 */
export function omissible(code) {
  const file = ts.createSourceFile('module.js', code, ts.ScriptTarget.ES2023, true, ts.ScriptKind.JS);
  /** @type {string[]} */
  const parts = [];
  let end = 0;
  for (const statement of file.statements) {
    const [declaration, ...others] = ts.isVariableStatement(statement) ? statement.declarationList.declarations : [];
    const value = others.length === 0 ? declaration?.initializer : undefined;
    if (declaration === undefined || value === undefined || !ts.isIdentifier(declaration.name)) continue;
    if (!mayHaveEffects(value) || isMarked(value, code)) continue;
    const start = value.getStart();
    const text = value.getText();
    const name = declaration.name.text;
    // A class that a function returns has no name.
    const call = ts.isClassExpression(value) ? `withName("${name}", () => ${text})` : `(() => (${text}))()`;
    parts.push(code.slice(end, start), `/* @__PURE__ */ ${call}`);
    end = value.end;
  }
  return withHelper(parts.join('') + code.slice(end));
}

/* Runs before all other code on any version of Node.js, so it uses only old syntax. */
var wanted = [20, 19];
var found = process.versions.node.split('.').map(Number);
if (found[0] < wanted[0] || (found[0] === wanted[0] && found[1] < wanted[1])) {
  console.error(
    'Tessera needs Node.js ' +
      wanted.join('.') +
      ' or newer, and this is Node.js ' +
      process.versions.node +
      ' (' +
      process.execPath +
      '): install a newer one from https://nodejs.org and run the same command again.',
  );
  process.exit(1);
}

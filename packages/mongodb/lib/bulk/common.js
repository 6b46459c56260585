// The classes of bulk writes, under the path that they have in the official driver.
module.exports = require('../../dist/package.cjs');

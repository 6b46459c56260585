// The entry `mongodb`, under the path that it has in the official driver.
module.exports = require('../dist/package.cjs');

// The BSON library, under the path that it has in the official driver.
module.exports = require('bson');

// A tour of mongoose: each file prints what one part of its API returns.
'use strict';
const mongoose = require('mongoose');
const { uri, done, step } = require('../report.cjs');

const parts = [
  'schemas',
  'queries',
  'writes',
  'populate',
  'indexes',
  'sessions',
  'streams',
  'connections',
  'lifecycle',
  'wire',
  'helpers',
  'changes',
  'kinds',
  'relations',
  'flows',
  'transfers',
  'driver',
  'storage',
  'registry',
];

(async () => {
  mongoose.set('strictQuery', true);
  await mongoose.connect(uri, { dbName: 'tour', heartbeatFrequencyMS: 500 });
  await mongoose.connection.dropDatabase();
  const wanted = process.argv.slice(2);
  for (const part of parts.filter(each => wanted.length === 0 || wanted.includes(each))) {
    await require(`./${part}.cjs`)(mongoose);
  }
  await step('disconnect', async () => {
    await mongoose.disconnect();
    return mongoose.connection.readyState;
  });
  done();
})();

// A backend of Parse with its storage in MongoDB.
'use strict';
const { once } = require('node:events');
const express = require('express');
const { ParseServer } = require('parse-server');
const { uri, step, done } = require('./report.cjs');

const headers = { 'X-Parse-Application-Id': 'app', 'X-Parse-Master-Key': 'master', 'Content-Type': 'application/json' };

(async () => {
  const app = express();
  const server = app.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const at = `http://127.0.0.1:${server.address().port}/parse`;
  const parse = new ParseServer({
    databaseURI: uri.replace('/?', '/parse?').replace(/\/$/, '/parse'),
    appId: 'app',
    masterKey: 'master',
    masterKeyIps: ['127.0.0.1'],
    serverURL: at,
    silent: true,
    allowClientClassCreation: true,
    encodeParseObjectInQuery: true,
  });
  await parse.start();
  app.use('/parse', parse.app);
  const call = async (method, path, body) => {
    const reply = await fetch(at + path, { method, headers, body: body && JSON.stringify(body) });
    const found = await reply.json();
    return [reply.status, found];
  };
  await call('POST', '/purge/Game').catch(() => undefined);
  await call('DELETE', '/purge/Game');
  const without = object => Object.fromEntries(Object.entries(object).filter(([name]) => !/Id$|At$|Token$/.test(name)));
  let id;
  await step('objects', async () => {
    const [status, created] = await call('POST', '/classes/Game', {
      title: 'Go',
      score: 5,
      tags: ['a'],
      at: { __type: 'GeoPoint', latitude: 1, longitude: 2 },
      when: { __type: 'Date', iso: '2020-01-01T00:00:00.000Z' },
    });
    id = created.objectId;
    return [
      status,
      typeof id,
      (await call('GET', `/classes/Game/${id}`)).map(each => (typeof each === 'object' ? without(each) : each)),
    ];
  });
  await step('queries', async () => {
    await call('POST', '/batch', {
      requests: [1, 2, 3].map(score => ({
        method: 'POST',
        path: '/parse/classes/Game',
        body: { title: `g${score}`, score },
      })),
    });
    const where = encodeURIComponent(JSON.stringify({ score: { $gte: 2 } }));
    const [, { results, count }] = await call('GET', `/classes/Game?where=${where}&order=-score&limit=2&count=1`);
    return [results.map(({ title }) => title), count];
  });
  await step('updates and deletions', async () => {
    await call('PUT', `/classes/Game/${id}`, {
      score: { __op: 'Increment', amount: 3 },
      tags: { __op: 'AddUnique', objects: ['a', 'b'] },
    });
    const [, found] = await call('GET', `/classes/Game/${id}`);
    return [
      found.score,
      found.tags,
      (await call('DELETE', `/classes/Game/${id}`))[0],
      (await call('GET', `/classes/Game/${id}`))[1],
    ];
  });
  await step('users', async () => {
    await call('POST', '/users', { username: 'ann', password: 'secret' });
    return (await call('POST', '/users', { username: 'ann', password: 'secret' }))[1].code;
  });
  await step('schemas', async () => Object.keys((await call('GET', '/schemas/Game'))[1].fields).sort());
  await step('files', async () => {
    const reply = await fetch(`${at}/files/a.txt`, {
      method: 'POST',
      headers: { ...headers, 'Content-Type': 'text/plain' },
      body: 'hello',
    });
    const { url } = await reply.json();
    return [reply.status, url === undefined ? undefined : await (await fetch(url)).text()];
  });
  done();
  // The server has no method that closes all of its connections.
  setTimeout(() => process.exit(0), 100);
})();

/** The functions of MongoDB's shell that scripts of the server can call. The code runs inside the function of `prelude.ts`. */
export const functions: string = String.raw`
const isPlain = value => typeof value === 'object' && value !== null;

const indentOf = indent => indent ?? '';

const tojsonArray = (list, indent, oneLine, depth) => {
  if (list.length === 0) return '[ ]';
  const inside = indent + '\t';
  const separator = oneLine ? ', ' : ',\n' + inside;
  let text = '';
  for (let i = 0; i < list.length; i++) text += (i === 0 ? '' : separator) + shown(list[i], inside, oneLine, depth + 1);
  return oneLine ? '[ ' + text + ' ]' : '[\n' + inside + text + '\n' + indent + ']';
};

const tojsonFields = (object, indent, oneLine, depth) => {
  const keys = Object.keys(object);
  if (keys.length === 0) return '{  }';
  const inside = indent + '\t';
  const separator = oneLine ? ', ' : ',\n' + inside;
  let text = '';
  for (let i = 0; i < keys.length; i++)
    text += (i === 0 ? '' : separator) + quote(keys[i]) + ' : ' + shown(object[keys[i]], inside, oneLine, depth + 1);
  return oneLine ? '{ ' + text + ' }' : '{\n' + inside + text + '\n' + indent + '}';
};

const shown = (value, indent, oneLine, depth) => {
  if (depth > 200) throw new RangeError('an object is nested more than 200 levels deep');
  switch (typeof value) {
    case 'string':
      return quote(value);
    case 'number':
    case 'boolean':
    case 'undefined':
    case 'bigint':
      return String(value);
    case 'function':
      return codes.get(value) ?? functionText(value);
    case 'symbol':
      return value.toString();
  }
  if (value === null) return 'null';
  if (typeof value.tojson === 'function') return value.tojson(indent, oneLine);
  if (value instanceof Date) return Number.isNaN(+value) ? 'ISODate("invalid")' : 'ISODate("' + value.toISOString().replace('.000Z', 'Z') + '")';
  if (value instanceof RegExp) return value.toString();
  if (value instanceof Error) return value.toString();
  return isArray(value) ? tojsonArray(value, indent, oneLine, depth) : tojsonFields(value, indent, oneLine, depth);
};

const tojson = (value, indent, oneLine) => {
  const text = shown(value, indentOf(indent), oneLine === true, 0);
  return oneLine !== false && indentOf(indent) === '' && text.length < 80 && isPlain(value) ? text.replace(/[\t\r\n]+/g, ' ') : text;
};

const doassert = (message, data) => {
  const text = typeof message === 'function' ? message() : isPlain(message) ? tojson(message) : String(message);
  throw Object.assign(new Error(text), isPlain(data) && typeof data.code === 'number' ? { code: data.code } : {});
};

const messageOf = message => (message === undefined ? '' : ' : ' + (typeof message === 'function' ? message() : message));

const assert = (condition, message) => {
  if (!condition) doassert('assert failed' + messageOf(message));
};

const isSame = (a, b) => a === b || tojson(a, '', true) === tojson(b, '', true);

Object.assign(assert, {
  eq: (a, b, message) => {
    if (!isSame(a, b)) doassert('[' + tojson(a) + '] and [' + tojson(b) + '] are not equal' + messageOf(message));
  },
  neq: (a, b, message) => {
    if (isSame(a, b)) doassert('[' + tojson(a) + '] and [' + tojson(b) + '] are equal' + messageOf(message));
  },
  lt: (a, b, message) => assert(a < b, a + ' is not less than ' + b + messageOf(message)),
  lte: (a, b, message) => assert(a <= b, a + ' is not less than or eq ' + b + messageOf(message)),
  gt: (a, b, message) => assert(a > b, a + ' is not greater than ' + b + messageOf(message)),
  gte: (a, b, message) => assert(a >= b, a + ' is not greater than or eq ' + b + messageOf(message)),
  isnull: (value, message) => assert(value === null || value === undefined, 'supposed to be null' + messageOf(message)),
  contains: (value, list, message) =>
    assert(list.some(one => isSame(one, value)), tojson(value) + ' was not in ' + tojson(list) + messageOf(message)),
  throws: (work, given, message) => {
    try {
      work(...(given ?? []));
    } catch (error) {
      return error;
    }
    return doassert('did not throw exception' + messageOf(message));
  },
  doesNotThrow: (work, given) => work(...(given ?? [])),
});

const rotations = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21];

const md5 = given => {
  const bytes = [];
  for (const c of unescape(encodeURIComponent(given))) bytes.push(c.charCodeAt(0));
  const bits = bytes.length * 8;
  bytes.push(0x80);
  while (bytes.length % 64 !== 56) bytes.push(0);
  for (let i = 0; i < 8; i++) bytes.push(floor(bits / 2 ** (8 * i)) & 255);
  const state = [0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476];
  for (let at = 0; at < bytes.length; at += 64) {
    let [a, b, c, d] = state;
    for (let i = 0; i < 64; i++) {
      const round = i >> 4;
      const f = round === 0 ? (b & c) | (~b & d) : round === 1 ? (d & b) | (~d & c) : round === 2 ? b ^ c ^ d : c ^ (b | ~d);
      const place = at + 4 * ([i, 5 * i + 1, 3 * i + 5, 7 * i][round] % 16);
      const word = bytes[place] | (bytes[place + 1] << 8) | (bytes[place + 2] << 16) | (bytes[place + 3] << 24);
      const sum = (a + f + word + floor(2 ** 32 * Math.abs(Math.sin(i + 1)))) | 0;
      const turn = rotations[4 * round + (i % 4)];
      [a, d, c, b] = [d, c, b, (b + ((sum << turn) | (sum >>> (32 - turn)))) | 0];
    }
    state[0] = (state[0] + a) | 0;
    state[1] = (state[1] + b) | 0;
    state[2] = (state[2] + c) | 0;
    state[3] = (state[3] + d) | 0;
  }
  return state.map(word => [0, 8, 16, 24].map(shift => ((word >>> shift) & 255).toString(16).padStart(2, '0')).join('')).join('');
};

const deviation = (list, divisor) => {
  const mean = Array.avg(list);
  return Math.sqrt(list.reduce((sum, x) => sum + (x - mean) ** 2, 0) / divisor);
};

hide(Array, {
  sum: list => (list.length === 0 ? null : list.reduce((sum, x) => sum + x)),
  avg: list => (list.length === 0 ? null : Array.sum(list) / list.length),
  stdDev: list => deviation(list, list.length),
  contains: (list, value) => list.includes(value),
  unique: list => list.filter((one, i) => list.findIndex(other => isSame(one, other)) === i),
  shuffle: list => {
    for (let i = list.length - 1; i > 0; i--) {
      const j = floor(random() * (i + 1));
      [list[i], list[j]] = [list[j], list[i]];
    }
    return list;
  },
  tojson: (list, indent, oneLine) => tojsonArray(list, indentOf(indent), oneLine === true, 0),
  fetchRefs: list => list,
});

hide(Object, {
  extend: (target, source, deep) => {
    for (const key of Object.keys(source)) {
      const value = source[key];
      target[key] = deep === true && isPlain(value) && !isArray(value) && value[encode] === undefined ? Object.extend({}, value, true) : value;
    }
    return target;
  },
  merge: (target, source, deep) => Object.extend(Object.extend({}, target, deep), source, deep),
  keySet: object => Object.keys(object),
  bsonsize: object => bsonSize(encoded(object, 0)),
});

hide(String.prototype, {
  ltrim() { return this.trimStart(); },
  rtrim() { return this.trimEnd(); },
  pad(length, right, fill) { return right ? this.padEnd(length, fill) : this.padStart(length, fill); },
});

hide(Number.prototype, {
  toPercentStr() { return (this * 100).toFixed(2) + '%'; },
  zeroPad(width) { return String(this).padStart(width, '0'); },
});

RegExp.escape ??= text => String(text).replace(/[-/\\^$*+?.()|[\]{}]/g, '\\$&');

hide(global, {
  ...functions,
  tojson,
  tojsononeline: value => tojson(value, '', true),
  tojsonObject: (value, indent, oneLine) => shown(value, indentOf(indent), oneLine === true, 0),
  print: () => undefined,
  printjson: () => undefined,
  printjsononeline: () => undefined,
  assert,
  doassert,
  sleep: duration => {
    sleepFor(max(Number(duration) || 0, 0));
    return null;
  },
  gc: () => undefined,
  version: () => serverVersion,
  hex_md5: given => md5(String(given)),
  isNumber: value => typeof value === 'number',
  isString: value => typeof value === 'string',
  isObject: value => isPlain(value),
  bsonWoCompare: (a, b) => { const [x, y] = [tojson(a, '', true), tojson(b, '', true)]; return x < y ? -1 : x > y ? 1 : 0; },
  friendlyEqual: isSame,
});
`;

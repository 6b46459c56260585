/**
 * The constructors of BSON values that MongoDB's shell has. Each value has a method with the key `encode`, which
 * returns its text for the host. The code runs inside the function of `prelude.ts`.
 */
export const values: string = String.raw`
const inner = Symbol('value');
const encode = Symbol('encode');

const hide = (object, methods) => {
  for (const key of Reflect.ownKeys(methods))
    defineProperty(object, key, { value: methods[key], writable: true, enumerable: false, configurable: true });
};

/** Defines a constructor that can be called with and without new. */
const constructor = (name, make, methods) => {
  const made = {
    [name]: function (...given) {
      const self = new.target === undefined ? create(made.prototype) : this;
      return make(self, ...given) ?? self;
    },
  }[name];
  hide(made.prototype, methods);
  defineProperty(global, name, { value: made, writable: true, enumerable: false, configurable: true });
  return made;
};

const invalid = (what, code = 2) => Object.assign(new Error(what), { code });

const requireCount = (name, given, least, most) => {
  if (given.length < least || given.length > most) throw invalid(name + ' has the wrong number of arguments');
};

const hexOfRandom = bytes => {
  let text = '';
  for (let i = 0; i < bytes; i++) text += floor(random() * 256).toString(16).padStart(2, '0');
  return text;
};

let counter = floor(random() * 0x1000000);
const processId = hexOfRandom(5);

const ObjectId = constructor(
  'ObjectId',
  (self, given) => {
    if (given === undefined) {
      counter = (counter + 1) & 0xffffff;
      const seconds = floor(now() / 1000) >>> 0;
      self.str = seconds.toString(16).padStart(8, '0') + processId + counter.toString(16).padStart(6, '0');
      return;
    }
    const text = given instanceof ObjectId ? given.str : given;
    if (typeof text !== 'string' || !/^[0-9a-f]{24}$/i.test(text))
      throw invalid('Invalid object ID: length must be 24 hexadecimal digits');
    self.str = text.toLowerCase();
  },
  {
    [encode]() { return '["oid",' + quote(this.str) + ']'; },
    toString() { return 'ObjectId("' + this.str + '")'; },
    tojson() { return this.toString(); },
    toJSON() { return { $oid: this.str }; },
    valueOf() { return this.toString(); },
    equals(other) { return other instanceof ObjectId && other.str === this.str; },
    getTimestamp() { return new Date(1000 * parseInt(this.str.slice(0, 8), 16)); },
  },
);

const integerOf = (given, name) => {
  if (given === undefined) return 0n;
  if (typeof given === 'bigint') return given;
  if (typeof given === 'string') {
    if (!/^[-+]?\d+$/.test(given)) throw invalid('could not convert string to ' + name + ': ' + given, 9);
    return BigInt(given);
  }
  if (given[inner] !== undefined && typeof given[inner] === 'bigint') return given[inner];
  const number = Number(given);
  return Number.isNaN(number) ? 0n : BigInt(Math.trunc(max(-9.3e18, min(9.3e18, number))));
};

const least = -(2n ** 63n);
const most = 2n ** 63n - 1n;

const NumberLong = constructor(
  'NumberLong',
  (self, given) => {
    const value = integerOf(given, 'long long');
    self[inner] = value < least ? least : value > most ? most : value;
  },
  {
    [encode]() { return '["l","' + this[inner] + '"]'; },
    get floatApprox() { return Number(this[inner]); },
    toNumber() { return Number(this[inner]); },
    valueOf() { return Number(this[inner]); },
    toString() {
      const value = this[inner];
      return value >= -(2n ** 31n) && value < 2n ** 31n ? 'NumberLong(' + value + ')' : 'NumberLong("' + value + '")';
    },
    tojson() { return this.toString(); },
    toJSON() { return { $numberLong: String(this[inner]) }; },
    exactValueString() { return String(this[inner]); },
    compare(other) {
      const value = integerOf(other, 'long long');
      return this[inner] < value ? -1 : this[inner] > value ? 1 : 0;
    },
  },
);

const NumberInt = constructor(
  'NumberInt',
  (self, given) => {
    self[inner] = Number(BigInt.asIntN(32, integerOf(given, 'int')));
  },
  {
    [encode]() { return '["i",' + this[inner] + ']'; },
    toNumber() { return this[inner]; },
    valueOf() { return this[inner]; },
    toString() { return 'NumberInt(' + this[inner] + ')'; },
    tojson() { return this.toString(); },
    toJSON() { return this[inner]; },
  },
);

const NumberDecimal = constructor(
  'NumberDecimal',
  (self, given = '0') => {
    const text = given instanceof NumberDecimal ? given[inner] : given instanceof NumberLong ? String(given[inner]) : String(given);
    if (!/^[-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|\.\d+(?:e[-+]?\d+)?|inf(?:inity)?|nan)$/i.test(text))
      throw invalid('Input is not a valid Decimal128 value.', 9);
    self[inner] = text;
  },
  {
    [encode]() { return '["dec",' + quote(this[inner]) + ']'; },
    toString() { return 'NumberDecimal("' + this[inner] + '")'; },
    tojson() { return this.toString(); },
    toJSON() { return { $numberDecimal: this[inner] }; },
  },
);

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

const toBase64 = hex => {
  let text = '';
  for (let i = 0; i < hex.length; i += 6) {
    const part = hex.slice(i, i + 6);
    const bits = parseInt(part.padEnd(6, '0'), 16);
    const four = alphabet[bits >> 18] + alphabet[(bits >> 12) & 63] + alphabet[(bits >> 6) & 63] + alphabet[bits & 63];
    text += part.length === 6 ? four : part.length === 4 ? four.slice(0, 3) + '=' : four.slice(0, 2) + '==';
  }
  return text;
};

const fromBase64 = text => {
  if (!/^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text)) throw invalid('invalid base64', 10270);
  let hex = '';
  for (let i = 0; i < text.length; i += 4) {
    let bits = 0;
    for (let j = 0; j < 4; j++) bits = bits * 64 + max(alphabet.indexOf(text[i + j]), 0);
    hex += bits.toString(16).padStart(6, '0');
  }
  return text.endsWith('==') ? hex.slice(0, -4) : text.endsWith('=') ? hex.slice(0, -2) : hex;
};

const uuidText = hex => hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');

const BinData = constructor(
  'BinData',
  (self, ...given) => {
    requireCount('BinData', given, 2, 2);
    const [subtype, text] = given;
    if (typeof text !== 'string') throw invalid('BinData data must be a String');
    return binary(subtypeOf(subtype, 'BinData'), fromBase64(text));
  },
  {
    [encode]() { return '["bin",' + this.type + ',"' + this[inner] + '"]'; },
    base64() { return toBase64(this[inner]); },
    hex() { return this[inner]; },
    length() { return this.len; },
    subtype() { return this.type; },
    toString() {
      return this.type === 4 && this.len === 16
        ? 'UUID("' + uuidText(this[inner]) + '")'
        : 'BinData(' + this.type + ',"' + toBase64(this[inner]) + '")';
    },
    tojson() { return this.toString(); },
    toJSON() { return { $binary: toBase64(this[inner]), $type: this.type.toString(16).padStart(2, '0') }; },
  },
);

const binary = (subtype, hex) => {
  const made = create(BinData.prototype);
  made.type = subtype;
  made.len = hex.length / 2;
  made[inner] = hex;
  return made;
};

const subtypeOf = (given, name) => {
  if (typeof given !== 'number' || !Number.isInteger(given) || given < 0 || given > 255)
    throw invalid(name + ' subtype must be a Number between 0 and 255 inclusive');
  return given;
};

const hexOf = (text, name, length) => {
  if (typeof text !== 'string' || !/^(?:[0-9a-f]{2})*$/i.test(text) || (length !== undefined && text.length !== length))
    throw invalid(name + ' needs a string of ' + (length ?? 'pairs of') + ' hexadecimal digits');
  return text.toLowerCase();
};

const newUuid = () => {
  const hex = hexOfRandom(16);
  return hex.slice(0, 12) + '4' + hex.slice(13, 16) + alphabet[34 + floor(random() * 4)].replace(/[ij]/, c => (c === 'i' ? '8' : '9')).replace(/k/, 'a').replace(/l/, 'b') + hex.slice(17);
};

const dashed = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

// These can be called with and without new.
const functions = {
  UUID: function (...given) {
    requireCount('UUID', given, 0, 1);
    if (given.length === 0) return binary(4, newUuid());
    const [text] = given;
    return binary(4, hexOf(dashed.test(text) ? text.replace(/-/g, '') : text, 'UUID', 32));
  },
  MD5: function (...given) {
    requireCount('MD5', given, 1, 1);
    return binary(5, hexOf(given[0], 'MD5', 32));
  },
  HexData: function (...given) {
    requireCount('HexData', given, 2, 2);
    return binary(subtypeOf(given[0], 'HexData'), hexOf(given[1], 'HexData'));
  },
  ISODate: function (text) {
    if (text === undefined) return new Date();
    const parts = /^(\d{4})-?(\d{2})-?(\d{2})(?:[T ](\d{2})(?::?(\d{2})(?::?(\d{2})(\.\d+)?)?)?(Z|[-+]\d{2}(?::?\d{2})?)?)?$/.exec(text);
    if (parts === null) throw invalid('invalid ISO date: ' + text);
    const [, year, month, day, hour = 0, minute = 0, second = 0, fraction = 0, zone = 'Z'] = parts;
    const shift = zone === 'Z' ? 0 : (zone[0] === '-' ? -1 : 1) * (60 * zone.slice(1, 3) + +(zone.slice(-2) === zone.slice(1, 3) && zone.length === 3 ? 0 : zone.slice(-2)));
    const date = new Date(Date.UTC(year, month - 1, day, hour, minute, second, Math.round(1000 * fraction)) - 60000 * shift);
    if (year < 100) date.setUTCFullYear(year);
    return date;
  },
};

const Timestamp = constructor(
  'Timestamp',
  (self, ...given) => {
    if (given.length === 1) throw invalid('Timestamp needs 0 or 2 arguments');
    requireCount('Timestamp', given, 0, 2);
    const [t, i] = given.length === 0 ? [0, 0] : given;
    if (typeof t !== 'number' || typeof i !== 'number' || !(t >= 0 && t < 2 ** 32) || !(i >= 0 && i < 2 ** 32)) throw invalid('Timestamp time and increment must be unsigned 32-bit numbers');
    self.t = floor(t);
    self.i = floor(i);
  },
  {
    [encode]() { return '["ts",' + this.t + ',' + this.i + ']'; },
    getTime() { return this.t; },
    getInc() { return this.i; },
    toString() { return 'Timestamp(' + this.t + ', ' + this.i + ')'; },
    tojson() { return this.toString(); },
    toJSON() { return { $timestamp: { t: this.t, i: this.i } }; },
  },
);

const extreme = (name, tag) =>
  constructor(name, () => undefined, {
    [encode]() { return tag; },
    toString() { return '{ "$' + name[0].toLowerCase() + name.slice(1) + '" : 1 }'; },
    tojson() { return this.toString(); },
    toJSON() { return { ['$' + name[0].toLowerCase() + name.slice(1)]: 1 }; },
  });
const MinKey = extreme('MinKey', '["min"]');
const MaxKey = extreme('MaxKey', '["max"]');

const DBPointer = constructor(
  'DBPointer',
  (self, ...given) => {
    requireCount('DBPointer', given, 2, 2);
    const [ns, id] = given;
    if (typeof ns !== 'string' || !(id instanceof ObjectId)) throw invalid('DBPointer needs a namespace and an ObjectId');
    self.ns = ns;
    self.id = id;
  },
  {
    [encode]() { return '["ref",' + quote(this.ns) + ',' + quote(this.id.str) + ']'; },
    toString() { return 'DBPointer("' + this.ns + '", ' + this.id + ')'; },
    tojson() { return this.toString(); },
  },
);

constructor(
  'DBRef',
  (self, ...given) => {
    requireCount('DBRef', given, 2, 3);
    const [ref, id, db] = given;
    if (typeof ref !== 'string' || (given.length === 3 && typeof db !== 'string'))
      throw invalid('DBRef needs the names of a collection and of a database as strings');
    self.$ref = ref;
    self.$id = id;
    if (db !== undefined) self.$db = db;
  },
  {
    getRef() { return this.$ref; },
    getCollection() { return this.$ref; },
    getId() { return this.$id; },
    getDb() { return this.$db; },
    toString() { return 'DBRef("' + this.$ref + '", ' + tojson(this.$id) + (this.$db === undefined ? '' : ', "' + this.$db + '"') + ')'; },
    tojson() { return this.toString(); },
  },
);

const Code = constructor(
  'Code',
  (self, code = '', scope) => {
    self.code = String(code);
    if (scope !== undefined) self.scope = scope;
  },
  {
    [encode](depth) {
      return '["code",' + quote(this.code) + (this.scope === undefined ? '' : ',' + encoded(this.scope, depth + 1)) + ']';
    },
    toString() { return 'Code({"code":' + quote(this.code) + ',"scope":' + tojson(this.scope ?? null, '', true) + '})'; },
    tojson() { return this.toString(); },
  },
);
`;

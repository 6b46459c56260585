import { functions } from './functions.js';
import { values } from './values.js';

/**
 * The script that each realm runs first. It evaluates to a function that receives functions of the host, defines the
 * globals of MongoDB's shell, and returns the functions that the host calls. It holds the original functions of the
 * language, because scripts can replace those.
 */
export const prelude: string = String.raw`
(function (sleepFor, now, random, bsonSize, serverVersion) {
'use strict';
const global = globalThis;
const quote = JSON.stringify;
const { parse } = JSON;
const { isArray } = Array;
const { create, defineProperty, keys } = Object;
const { floor, max, min } = Math;
const { apply } = Reflect;
const evaluate = global.eval;
const RealDate = Date;
const functionToString = Function.prototype.toString;
const functionText = value => apply(functionToString, value, []);
const weak = () => {
  const map = new WeakMap();
  const [get, set] = [map.get.bind(map), map.set.bind(map)];
  return { get, set };
};

// The time and random numbers come from the host.
const DateOfHost = function Date(...given) {
  if (new.target === undefined) return new RealDate(now()).toString();
  return Reflect.construct(RealDate, given.length === 0 ? [now()] : given, new.target);
};
DateOfHost.prototype = RealDate.prototype;
RealDate.prototype.constructor = DateOfHost;
for (const [name, value] of [['now', () => now()], ['parse', RealDate.parse], ['UTC', RealDate.UTC]])
  defineProperty(DateOfHost, name, { value, writable: true, enumerable: false, configurable: true });
defineProperty(DateOfHost, 'length', { value: 7 });
global.Date = DateOfHost;
Math.random = () => random();

// Methods that visit the indexes of a long array with few elements cannot be interrupted.
const longest = 10_000_000;
const bounded = list => {
  if (list.length > longest) throw new RangeError('an array has more than ' + longest + ' elements');
};
const guard = (object, name, guarded) => {
  const method = object[name];
  defineProperty(object, name, {
    value: {
      [name](...given) {
        guarded(this, given);
        return apply(method, this, given);
      },
    }[name],
    writable: true,
    enumerable: false,
    configurable: true,
  });
};
for (const name of (
  'copyWithin every fill filter flat flatMap forEach includes indexOf join lastIndexOf map reduce reduceRight reverse ' +
  'shift slice some sort splice toLocaleString toReversed toSorted toSpliced toString unshift with'
).split(' '))
  guard(Array.prototype, name, bounded);
const boundedArguments = (_self, given) => {
  for (let i = 0; i < given.length; i++) if (given[i] !== null && given[i] !== undefined) bounded(given[i]);
};
guard(Array.prototype, 'concat', (self, given) => {
  bounded(self);
  boundedArguments(self, given);
});
guard(Array, 'from', boundedArguments);

/** The sources of functions that come from BSON, and patterns that come from BSON. */
const codes = weak();
const patterns = weak();
/** The objects of the arguments, each with its parent and its key. */
let origins = weak();
${values}
${functions}
const pathOf = object => {
  let path = '';
  for (let at = origins.get(object); at !== undefined; at = origins.get(at[0]))
    path = (typeof at[1] === 'number' ? String(at[1]) : quote(at[1])) + (path === '' ? '' : ',' + path);
  return path === '' ? '0' : '[' + path + ']';
};

const encodedObject = (object, depth) => {
  let text = '["d",' + pathOf(object);
  const names = keys(object);
  for (let i = 0; i < names.length; i++) text += ',' + quote(names[i]) + ',' + encoded(object[names[i]], depth + 1);
  return text + ']';
};

const encodedArray = (list, depth) => {
  let text = '["a",' + pathOf(list);
  const { length } = list;
  for (let i = 0; i < length; i++) text += ',' + encoded(list[i], depth + 1);
  return text + ']';
};

/** Returns the text of a value for the host: JSON, in which an array with a tag stands for any other value. */
const encoded = (value, depth) => {
  switch (typeof value) {
    case 'string':
      return quote(value);
    case 'number':
      if (value - value !== 0 || (value === 0 && 1 / value < 0)) return '["n","' + (value === 0 ? '-0' : value) + '"]';
      return '' + value;
    case 'boolean':
      return value ? 'true' : 'false';
    case 'undefined':
      return '["u"]';
    case 'bigint':
      return encoded(NumberLong(value), depth);
    case 'function':
      return '["code",' + quote(codes.get(value) ?? functionText(value)) + ']';
    case 'symbol':
      throw new TypeError('a symbol cannot be converted to BSON');
  }
  if (value === null) return 'null';
  if (depth > 180) throw new RangeError('an object is nested more than 180 levels deep');
  if (value[encode] !== undefined) return value[encode](depth);
  return isArray(value) ? encodedArray(value, depth) : encodedObject(value, depth);
};

hide(RealDate.prototype, {
  [encode]() { return '["date",' + (+this === +this ? +this : 'null') + ']'; },
  tojson() { return shown(create(null), '', true, 0) && ('ISODate("' + (+this === +this ? this.toISOString().replace('.000Z', 'Z') : 'invalid') + '")'); },
});
hide(RegExp.prototype, {
  [encode]() {
    const pattern = patterns.get(this);
    return pattern === undefined ? '["re",' + quote(this.source) + ',' + quote(this.flags) + ']' : '["re",' + quote(pattern[0]) + ',' + quote(pattern[1]) + ']';
  },
});
for (const Boxed of [Number, String, Boolean])
  hide(Boxed.prototype, { [encode](depth) { return encoded(this.valueOf(), depth); } });

const functionOf = code => {
  let made;
  try {
    made = compile(code);
  } catch {
    return new Code(code);
  }
  codes.set(made, code);
  return made;
};

const regExpOf = (pattern, options) => {
  let made;
  try {
    made = new RegExp(pattern, options.replace(/[^imsu]/g, ''));
  } catch {
    made = /(?!)/;
  }
  patterns.set(made, [pattern, options]);
  return made;
};

/** Makes a value that JSON cannot express from its parts. */
const special = (tag, a, b) => {
  switch (tag) {
    case 7: {
      const made = create(ObjectId.prototype);
      made.str = a;
      return made;
    }
    case 1:
      return NaN;
    case 5:
      return binary(a, b);
    case 6:
      return undefined;
    case 9:
      return new RealDate(a);
    case 11:
      return regExpOf(a, b);
    case 12:
      return new DBPointer(a, new ObjectId(b));
    case 13:
      return functionOf(a);
    case 15:
      return new Code(a, unpacked(b, false)[0]);
    case 17:
      return new Timestamp(a, b);
    case 18: {
      const made = create(NumberLong.prototype);
      made[inner] = BigInt(a);
      return made;
    }
    case 19:
      return new NumberDecimal(a);
    case 127:
      return new MaxKey();
    default:
      return new MinKey();
  }
};

const register = (value, parent, key) => {
  if (typeof value !== 'object' || value === null || value[encode] !== undefined) return;
  origins.set(value, [parent, key]);
  if (isArray(value)) for (let i = 0; i < value.length; i++) register(value[i], value, i);
  else {
    const names = keys(value);
    for (let i = 0; i < names.length; i++) register(value[names[i]], value, names[i]);
  }
};

const unpacked = (text, track) => {
  const { v, s } = parse(text);
  for (let i = 0; i < s.length; i++) {
    const item = s[i];
    const path = item[0];
    let at = v;
    const last = path.length - 1;
    for (let j = 0; j < last; j++) at = at[path[j]];
    at[path[last]] = special(item[1], item[2], item[3]);
  }
  if (track) {
    origins = weak();
    for (let i = 0; i < v.length; i++) register(v[i], v, i);
  }
  return v;
};

// Code outside of strict mode that evaluates text as statements.
const parsesAsScript = evaluate('(function (code) { eval("if (0) {" + code + "\\n}") })');

const parses = work => {
  try {
    work();
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
};

const startsAsFunction = /^(?:async\b\s*)?function\b/;
const startsAsArrow = /^(?:async\b\s*)?(?:\(|[\w$]+\s*=>)/;

/** Returns the function with a body that was parsed before. Its lines are those of the body. */
const withBody = body => evaluate('(function () {' + body + '\n})');

/**
 * Compiles a function, an expression, or statements. The last expression of statements without a return is the result.
 */
const compile = source => {
  let code = source.trim();
  while (code.endsWith(';')) code = code.slice(0, -1).trimEnd();
  if (parses(() => new Function('return (' + code + '\n)'))) {
    const isArrow = code.includes('=>') && startsAsArrow.test(code) && !parses(() => new Function('return (0 || ' + code + '\n)'));
    if (isArrow || startsAsFunction.test(code)) {
      const made = evaluate('(' + code + '\n)');
      if (typeof made === 'function') return made;
    }
    return withBody('return (' + code + '\n)');
  }
  let whole;
  try {
    new Function(source);
    whole = withBody(source);
  } catch (error) {
    // Throws an error for the source without a function around it.
    evaluate(source);
    throw error;
  }
  if (code.endsWith('}') || !parses(() => parsesAsScript(source))) return whole;
  return withBody('return eval(' + quote(source) + ')');
};

/** Returns the calls in the script that led to an error, as SpiderMonkey shows them. */
const framesOf = error => {
  let frames = '';
  for (const [, name, place] of String(error.stack).matchAll(/^ *at (\S*) \(<input>(:\d+:\d+)\)$/gm))
    frames += (name.includes('<') || name === 'anonymous' ? '' : name) + '@' + place + '\n';
  return frames;
};

const texted = error => {
  if (!isPlain(error)) return ['uncaught exception', String(error), null, ''];
  if (!(error instanceof Error)) return ['uncaught exception', tojson(error, '', true), typeof error.code === 'number' ? error.code : null, ''];
  const message = String(error.message).replace(/^unexpected token in expression: ''$/, 'unexpected end of the script');
  return [String(error.name), message, typeof error.code === 'number' ? error.code : null, framesOf(error)];
};

/** Describes an error. Its parts may throw as well, because scripts can replace them. */
const failure = error => {
  try {
    return '!' + quote(texted(error));
  } catch {
    return '!["Error","the script threw a value that cannot be shown",null]';
  }
};

const compiled = create(null);
let failed = '';
let emitted = '';
let usesObj = false;

return {
  /** Defines global variables. */
  define: text => {
    const [scope] = unpacked(text, false);
    for (const name of keys(scope)) global[name] = scope[name];
  },
  /** Defines emit. */
  emits: () => {
    global.emit = function (key, value) {
      if (arguments.length !== 2) throw invalid('emit takes 2 args', 31220);
      emitted += (emitted === '' ? '' : ',') + encoded(key, 0) + ',' + encoded(value, 0);
    };
  },
  /** Compiles a function. Returns an empty text, or the text of an error. */
  compile: (name, source, obj) => {
    try {
      usesObj = obj;
      compiled[name] = compile(source);
      return '';
    } catch (error) {
      return failure(error);
    }
  },
  /** Calls a function. Returns the text of the result, or of an error. */
  call: (name, text) => {
    try {
      const given = unpacked(text, true);
      const self = given.shift();
      return encoded(apply(compiled[name], self, given), 0);
    } catch (error) {
      return failure(error);
    }
  },
  /** Returns whether the result of a function counts as true: 1 or 0, or 2 for an error. */
  test: text => {
    try {
      const [self] = unpacked(text, false);
      if (usesObj) global.obj = self;
      return apply(compiled.test, self, []) ? 1 : 0;
    } catch (error) {
      failed = failure(error);
      return 2;
    }
  },
  failed: () => failed,
  /** Returns what has been emitted since the last call. */
  emitted: () => {
    const text = '[' + emitted + ']';
    emitted = '';
    return text;
  },
};
})
`;

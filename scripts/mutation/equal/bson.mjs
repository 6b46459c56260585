/** @type {readonly import('../equal.mjs').Equal[]} */
export default [
  {
    file: 'packages/bson/src/encode/elements.ts',
    reason: 'Long elements are stored as words as well, which takes longer.',
    mutants: [
      [
        'if (⟦length <= longest⟧) for (let at = 0; at < length; at += 4) words.push(padded.getInt32(at, true));',
        'true',
      ],
    ],
  },
  {
    file: 'packages/bson/src/encode/any.ts',
    reason: 'A value never ends at offset 0, because the length of its document precedes it.',
    mutants: [['if (⟦end >= 0⟧) at = end;', 'end > 0']],
  },
  {
    file: 'packages/bson/src/encode/any.ts',
    reason: 'A value of this class is also recognized by its _bsontype, which takes longer.',
    mutants: [
      ['if (⟦prototype === Int32.prototype⟧) {', 'false'],
      ['if (⟦prototype === ObjectId.prototype⟧) {', 'false'],
      [
        'if (prototype === Double.prototype) ⟦{ bytes[typeAt] = 1; numbers.setFloat64(at, (value as Double).value, true); return at + 8; }⟧',
        '{}',
      ],
    ],
  },
  {
    file: 'packages/bson/src/encode/any.ts',
    reason: 'The caller has already written null.',
    mutants: [["typeof value === 'object' && ⟦value !== null⟧", 'true']],
  },
  {
    file: 'packages/bson/src/encode/any.ts',
    reason: '`toBSON` is called until it returns a value without `toBSON`, here or where the value is written.',
    mutants: [
      [
        "(typeof value === 'object' && ⟦value !== null⟧) || typeof value === 'function' ? value : callToBSON(value);",
        'value === null',
      ],
    ],
  },
  {
    file: 'packages/bson/src/encode/any.ts',
    reason: 'An ObjectId stores its bytes as four numbers, or none of the four is a number.',
    mutants: [
      [
        "if (⟦typeof i0 !== 'number'⟧ || typeof i1 !== 'number' || typeof i2 !== 'number' || typeof i3 !== 'number') {",
        'false',
      ],
      [
        "if (typeof i0 !== 'number' || ⟦typeof i1 !== 'number'⟧ || typeof i2 !== 'number' || typeof i3 !== 'number') {",
        'false',
      ],
    ],
  },
  {
    file: 'packages/bson/src/encode/any.ts',
    reason: 'The general code writes the same bytes, which takes longer.',
    mutants: [
      [
        "if (typeof i0 !== 'number' || typeof i1 !== ⟦'number'⟧ || typeof i2 !== 'number' || typeof i3 !== 'number') {",
        '""',
      ],
      [
        'if (isPlain && tree !== undefined && (⟦without === undefined || !Object.hasOwn(document, without)⟧))',
        'without === undefined && !Object.hasOwn(document, without)',
      ],
    ],
  },
  {
    file: 'packages/bson/src/decode/fast.ts',
    reason: 'A document of 8 bytes has four bytes after its length. The hash only chooses where its keys are learned.',
    mutants: [
      ['return from.top(⟦size > 8⟧ ? Math.imul(v.getInt32(start + 4, true), 0x9e3779b1) >>> 26 : 0);', 'size >= 8'],
    ],
  },
  {
    file: 'packages/bson/src/decode/learned.ts',
    reason: 'One more key is learned.',
    mutants: [['if (⟦this.nodes++ >= mostNodes⟧) {', 'this.nodes++ > mostNodes']],
  },
  {
    file: 'packages/bson/src/encode/classes.ts',
    reason: 'The byte after an ObjectId is overwritten by the next element or the terminator.',
    mutants: [['for (let i = 0; ⟦i < 12⟧; i++) bytes[at + i] = parseInt(hex.slice(i * 2, i * 2 + 2), 16);', 'i <= 12']],
  },
  {
    file: 'packages/bson/src/decode/fast.ts',
    reason: 'One more constructor is generated, and the documents are the same.',
    mutants: [
      [
        'if (uses === constructorAfter && ⟦learned.constructors++ < mostConstructors⟧) node.make = generateConstructor(keys);',
        'learned.constructors++ <= mostConstructors',
      ],
    ],
  },
  {
    file: 'packages/bson/src/encode/text.ts',
    reason: 'Characters that are not written four at a time are written one at a time, which takes longer.',
    mutants: [
      ['for (; ⟦i + 4 <= length⟧; i += 4) {', 'false'],
      ['for (; ⟦i + 4 <= length⟧; i += 4) {', 'i + 4 < length'],
    ],
  },
  {
    file: 'packages/bson/src/decode/memory.ts',
    reason: 'The view of a buffer is created again each time, which takes longer.',
    mutants: [['if (⟦buffer.byteLength <= largestRecent⟧) {', 'false']],
  },
  {
    file: 'packages/bson/src/decode/straight-line.ts',
    reason: 'More or fewer generated functions decode documents. Documents without one take longer.',
    mutants: [
      ['let group = groups.find(({ nodes }) => ⟦new Set([...nodes, ...chain]).size <= longest⟧);', 'false'],
      ['if (⟦groups.length === mostLines⟧) continue;', 'true'],
    ],
  },
  {
    file: 'packages/bson/src/decode/fast.ts',
    reason: 'A straight line is never generated. The documents are decoded by their keys, which takes longer.',
    mutants: [['if (place.rest > 0) ⟦place.rest--⟧;', 'place.rest++']],
  },
  {
    file: 'packages/bson/src/extended-json/wrappers.ts',
    reason: 'The UUID constructor accepts digits with or without hyphens.',
    mutants: [["['$uuid', text('$uuid', uuidForm, value => new UUID(value.replaceAll(⟦'-'⟧, '')))],", '""']],
  },
  {
    file: 'packages/bson/src/decode/fast.ts',
    reason: 'A truncated ObjectId ends after its document, which is checked next.',
    mutants: [['if (⟦p + 12⟧ > limit) throw damaged;', 'p - 12']],
  },
  {
    file: 'packages/bson/src/read/view.ts',
    reason: 'The positions of keys are never stored, so each key is searched, which takes longer.',
    mutants: [['if (⟦placesOf !== this.number⟧) this.locate();', 'placesOf === this.number']],
  },
];

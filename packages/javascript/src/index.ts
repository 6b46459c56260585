export type { JavaScript } from './javascript.js';
export { loadJavaScript } from './javascript.js';
export type { Realm, RealmOptions } from './realm.js';
export { JavaScriptError } from './realm.js';

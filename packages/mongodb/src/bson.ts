// An import and an export instead of `export * as BSON from 'bson'`: API Extractor does not support that form for
// another package.
import * as BSON from 'bson';

export { BSON };

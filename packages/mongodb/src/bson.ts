// Not `export * as BSON from`: the API reports cannot read that of another package.
import * as BSON from 'bson';

export { BSON };

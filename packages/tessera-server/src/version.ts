/** The version of this package, equal to the one in package.json. */
export const version: string = '0.0.0';

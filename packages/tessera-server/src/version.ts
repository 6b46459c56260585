/** The version of this package, as its package.json has it. */
export const version: string = '0.0.0';

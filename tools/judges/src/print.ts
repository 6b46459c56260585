export const print = (text: string): boolean => process.stdout.write(`${text}\n`);

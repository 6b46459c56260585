import { MongoError } from '@tessera/contracts';
import type { MechanismRule, Properties } from './mechanism-rules.js';

/**
 * Names are compared without regard to case. Rule: Authentication, "Naming".
 * @throws MongoError `usage` for a property that the mechanism does not have, or a value that it cannot have
 */
export const propertiesOf = (mechanism: string, rule: MechanismRule, given: Properties): Properties => {
  const properties: Record<string, unknown> = { ...rule.defaults };
  for (const [written, value] of Object.entries(given)) {
    const name = written.toUpperCase();
    const accepts = Object.hasOwn(rule.properties, name) ? rule.properties[name] : undefined;
    if (accepts === undefined) {
      const known = Object.keys(rule.properties);
      throw new MongoError(
        'usage',
        `${mechanism === 'DEFAULT' ? 'SCRAM' : mechanism} has no such authMechanismProperties; ` +
          (known.length === 0 ? 'leave them out.' : `it has ${known.join(', ')}.`),
      );
    }
    if (!accepts.fits(value))
      throw new MongoError('usage', `The property ${name} of ${mechanism} must be ${accepts.expects}.`);
    properties[name] = value;
  }
  return properties;
};

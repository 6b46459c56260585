import { Decimal128 } from '../values.js';

const form = /^(-?)(\d+)(?:\.(\d+))?(?:E([+-]?\d+))?$/;

/**
 * Returns the canonical text of a decimal. The bits can encode significands of more than 34 digits, which stand for
 * zero; npm `bson` prints all of their digits and then cannot parse them. Rule: BSON Decimal128, "Clarifications":
 * non-canonical significands.
 */
export const decimalText = (value: Decimal128): string => {
  const text = value.toString();
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = form.exec(text) ?? [];
  if ((whole + fraction).replace(/^0+/, '').length <= 34) return text;
  return Decimal128.fromString(`${sign}0E${Number(exponent) - fraction.length}`).toString();
};

import { Decimal128 } from '../values.js';

const form = /^(-?)(\d+)(?:\.(\d+))?(?:E([+-]?\d+))?$/;

/**
 * As the specification writes it. More than 34 digits can be said by the bits, but stand for zero; npm `bson` writes them all
 * and then cannot read them. Rule: BSON Decimal128, "Clarifications": non-canonical significands.
 */
export const decimalText = (value: Decimal128): string => {
  const text = value.toString();
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = form.exec(text) ?? [];
  if ((whole + fraction).replace(/^0+/, '').length <= 34) return text;
  return Decimal128.fromString(`${sign}0E${Number(exponent) - fraction.length}`).toString();
};

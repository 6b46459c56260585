import type { Value } from '@tessera/mql/engine';
import { fail, isArray, isDoc } from '@tessera/mql/engine';

const isByte = (text: string): boolean => /^\d{1,3}$/.test(text) && Number(text) <= 255;

const isIpv4 = (text: string): boolean => {
  const parts = text.split('.');
  return parts.length === 4 && parts.every(isByte);
};

const isIpv6 = (text: string): boolean => {
  if (!/^[\da-f:.]*:[\da-f:.]*$/i.test(text) || text.indexOf('::') !== text.lastIndexOf('::')) return false;
  if (/^:(?!:)|[^:]:$/.test(text)) return false;
  const groups = text.split(':').filter(group => group !== '');
  const last = groups.at(-1) ?? '';
  const plain = last.includes('.') ? groups.slice(0, -1) : groups;
  const length = plain.length + (last.includes('.') ? 2 : 0);
  const isShort = text.includes('::');
  return (
    (plain.length === groups.length || isIpv4(last)) &&
    plain.every(group => group.length <= 4 && !group.includes('.')) &&
    (isShort ? length < 8 : length === 8)
  );
};

/** Whether a text is an IP address or a range of them in CIDR notation. */
const isAddress = (text: string): boolean => {
  const [address = '', bits, ...more] = text.split('/');
  const most = isIpv4(address) ? 32 : isIpv6(address) ? 128 : -1;
  return most >= 0 && more.length === 0 && (bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= most));
};

/** Checks the addresses in `authenticationRestrictions`. @throws CommandError 2, 40415 */
export const checkRestrictions = (restrictions: readonly Value[] | undefined): void => {
  for (const restriction of restrictions ?? []) {
    if (!isDoc(restriction)) throw fail('BadValue', "'authenticationRestrictions' array sub-documents must be objects");
    for (const [name, list] of restriction.entries()) {
      if (name !== 'clientSource' && name !== 'serverAddress')
        throw fail('IDLUnknownField', `BSON field 'address restriction.${name}' is an unknown field.`);
      for (const address of isArray(list) ? list : [list])
        if (typeof address !== 'string' || !isAddress(address))
          throw fail('BadValue', `'${name}' contains an invalid IP address or CIDR range`);
    }
  }
};

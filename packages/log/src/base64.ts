const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

export const base64 = (bytes: Uint8Array): string => {
  let text = '';
  for (let at = 0; at < bytes.length; at += 3) {
    const three = (bytes[at]! << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0);
    const group = [18, 12, 6, 0].map(shift => letters[(three >> shift) & 63]).join('');
    const left = bytes.length - at;
    text += left >= 3 ? group : group.slice(0, left + 1).padEnd(4, '=');
  }
  return text;
};

import { isIPv4, isIPv6 } from 'node:net';

const GROUPS = 8;
/**
 * The number of groups of an IPv6 address that identify a subscriber of an Internet provider. A subscriber can use all
 * addresses of a /64 network.
 */
const SUBSCRIBER_GROUPS = 4;

/**
 * Returns the key by which the requests of an IP address are counted. For IPv4, also in IPv6 notation, the key is the
 * address. For IPv6, the key is the /64 network. All invalid addresses have the same key.
 */
export function toNetworkKey(address: string | undefined): string {
  const plain = (address ?? '').replace(/%.*$/su, '').toLowerCase();
  if (isIPv4(plain)) return plain;
  if (!isIPv6(plain)) return 'unknown';
  const groups = parseGroups(plain);
  const [a, b, c, d, e, f, high = 0, low = 0] = groups;
  if (a === 0 && b === 0 && c === 0 && d === 0 && e === 0 && f === 0xff_ff)
    return [high >> 8, high & 255, low >> 8, low & 255].join('.');
  return `${groups
    .slice(0, SUBSCRIBER_GROUPS)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}

/** Returns the eight numbers of a valid IPv6 address, which may be shortened with `::`. */
function parseGroups(address: string): readonly number[] {
  const [head = '', tail] = address.split('::', 2);
  const before = parseNumbers(head);
  const after = parseNumbers(tail ?? '');
  return [...before, ...Array.from({ length: GROUPS - before.length - after.length }, () => 0), ...after];
}

function parseNumbers(text: string): readonly number[] {
  if (text === '') return [];
  return text.split(':').flatMap((group) => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
    return [a * 256 + b, c * 256 + d];
  });
}

import { isIPv4, isIPv6 } from 'node:net';

const GROUPS = 8;
/** A subscriber has a /64 at least, and may use every address of it. */
const SUBSCRIBER_GROUPS = 4;

/**
 * What an address is counted under: an IPv4 address as it is, also where it is written as an IPv6 one; of an IPv6 address the network a
 * subscriber has, its /64. What is no address at all counts as one and the same.
 */
export function networkOf(address: string | undefined): string {
  const plain = (address ?? '').replace(/%.*$/su, '').toLowerCase();
  if (isIPv4(plain)) return plain;
  if (!isIPv6(plain)) return 'unknown';
  const groups = groupsOf(plain);
  const [a, b, c, d, e, f, high = 0, low = 0] = groups;
  if (a === 0 && b === 0 && c === 0 && d === 0 && e === 0 && f === 0xff_ff)
    return [high >> 8, high & 255, low >> 8, low & 255].join('.');
  return `${groups
    .slice(0, SUBSCRIBER_GROUPS)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}

/** The eight numbers of a valid IPv6 address, however it is abbreviated. */
function groupsOf(address: string): readonly number[] {
  const [head = '', tail] = address.split('::', 2);
  const before = numbersOf(head);
  const after = numbersOf(tail ?? '');
  return [...before, ...Array.from({ length: GROUPS - before.length - after.length }, () => 0), ...after];
}

function numbersOf(text: string): readonly number[] {
  if (text === '') return [];
  return text.split(':').flatMap((group) => {
    if (!group.includes('.')) return [Number.parseInt(group, 16)];
    const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
    return [a * 256 + b, c * 256 + d];
  });
}

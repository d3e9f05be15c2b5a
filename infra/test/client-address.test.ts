import { describe, expect, test } from 'vitest';
import { limitByNetwork, SITE_FACTOR, toNetworkKey, toNetworkKeys } from '../src/http/client-address.ts';

describe('the network of an address', () => {
  test.each([
    ['203.0.113.9', '203.0.113.9'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['::FFFF:cb00:7109', '203.0.113.9'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::', '2001:db8:1:2::/64'],
    ['2001:0db8:0001:0002:ffff::1', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['1::', '1:0:0:0::/64'],
    ['::1.2.3.4', '0:0:0:0::/64'],
    ['64:ff9b::1.2.3.4', '64:ff9b:0:0::/64'],
  ])('of %s is %s', (address, network) => {
    expect(toNetworkKey(address)).toBe(network);
  });
  test.each([undefined, '', 'unknown', '1.2.3', '1.2.3.4.5', ':::', '2001:db8', '<script>'])(
    'of %j is "unknown"',
    (address) => {
      expect(toNetworkKey(address)).toBe('unknown');
    },
  );
});

describe('the site of an address', () => {
  test.each([
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1::/48'],
    ['2001:db8:1:ffff::1', '2001:db8:1::/48'],
    ['203.0.113.9', null],
    ['::ffff:203.0.113.9', null],
    ['unknown', null],
  ])('of %s is %s', (address, site) => {
    expect(toNetworkKeys(address).site).toBe(site);
  });
  test('has a higher limit than one subscriber', () => {
    expect(limitByNetwork('2001:db8:1:2::1', 10)).toEqual([
      { network: '2001:db8:1:2::/64', max: 10 },
      { network: '2001:db8:1::/48', max: 10 * SITE_FACTOR },
    ]);
    expect(limitByNetwork('203.0.113.9', 10)).toEqual([{ network: '203.0.113.9', max: 10 }]);
  });
});

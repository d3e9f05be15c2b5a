import { describe, expect, it, test } from 'vitest';
import { adPath, removeContactDetails } from '../src/contracts/index.ts';
import { DESCRIPTION_MAX } from '../src/listing/fields.ts';

describe('contact details in a text', () => {
  test.each([
    ['Call +1 (702) 555-0142 now', 'Call now'],
    ['7025550142', ''],
    ['seven 7 0 2 . 5 5 5 . 0 1 4 2', 'seven'],
    ['write to me.here+x@mail.example please', 'write to please'],
    ['me (at) mail (dot) example', ''],
    ['see https://a.example/b?c=d and www.b.example', 'see and'],
    ['on my-page.com/me', 'on'],
    ['insta: @some.one, really', 'insta: , really'],
    ['me＠mail.example', ''],
    ['７０２５５５０１４２ in wide digits', 'in wide digits'],
    ['٧٠٢٥٥٥٠١٤٢ in others', 'in others'],
    ['702\u200B555\u200B0142 with nothing between', 'with nothing between'],
    ['7\uFE0F\u20E30\uFE0F\u20E32\uFE0F\u20E35\uFE0F\u20E35\uFE0F\u20E35\uFE0F\u20E30\uFE0F\u20E3 on keys', 'on keys'],
  ])('%s', (text, expected) => {
    expect(removeContactDetails(text)).toBe(expected);
  });

  test.each(['250 / h, from 18 to 22', 'I am 27, 1.70 m. No. 1 in 2026!', 'Co-founder, e.g. of nothing. Well…'])(
    '%s is not changed',
    (text) => {
      expect(removeContactDetails(text)).toBe(text);
    },
  );

  it('are removed in bounded time from any text', () => {
    // The test measures CPU time, because other processes do not affect it. The limit is a multiple of the CPU time for
    // plain words, so the test also passes on a slow machine.
    const cost = (parts: readonly string[]) => {
      const before = process.cpuUsage();
      for (const part of parts) removeContactDetails(part.repeat(DESCRIPTION_MAX / part.length));
      return process.cpuUsage(before).user;
    };
    const hostile = ['a', 'a.', 'a-', 'a+', '1', '1 ', '@', 'a@', '(at)', 'www.', '1-', '. ', '.'];
    // The first calls compile the patterns.
    cost([...hostile, 'word a ']);
    const plain = cost(Array.from({ length: 10 * hostile.length }, () => 'word a ')) / 10;
    expect(cost(hostile)).toBeLessThan(50 * plain);
  });
});

test('the address of an ad contains no phone number from its title', () => {
  const ad = { id: 'a1', state: 'NV', city: 'Las Vegas' };
  expect(adPath({ ...ad, title: 'Call 702 555-0142 tonight' })).toBe('/escorts/nv/las-vegas/call-tonight/a1');
  expect(adPath({ ...ad, title: '+1 702 555 0142' })).toBe('/escorts/nv/las-vegas/ad/a1');
});

import { describe, expect, it, test } from 'vitest';
import {
  hideContactDetails,
  hideContactDetailsInAd,
  removeContactDetails,
} from '../../src/contact-details/hide-contact-details.ts';
import { adSlug, CONTACT_MARK } from '../../src/contracts/index.ts';
import { AD_FIELDS, findMaskedTexts, type AdField } from '../../src/listing/ad-fields.ts';
import { DESCRIPTION_MAX } from '../../src/listing/fields.ts';

describe('contact details in a text', () => {
  test.each([
    ['Call +1 (702) 555-0142 now', 'Call now'],
    ['7025550142', ''],
    ['mine: 7 0 2 . 5 5 5 . 0 1 4 2', 'mine:'],
    ['write to me.here+x@mail.example please', 'write to please'],
    ['me (at) mail (dot) example', ''],
    ['see https://a.example/b?c=d and www.b.example', 'see and'],
    ['on my-page.com/me', 'on'],
    ['insta: @some.one, really', 'insta: , really'],
    ['me＠mail.example', ''],
    ['７０２５５５０１４２ in wide digits', 'in wide digits'],
    ['٧٠٢٥٥٥٠١٤٢ in others', 'in others'],
    ['702\u200B555\u200B0142 with nothing between', 'with nothing between'],
    [`${'7025550142'.replaceAll(/\d/gu, '$&\uFE0F\u20E3')} on keys`, 'on keys'],
    ['<script>alert(1)</script> walk 702-555-0188', '<script>alert(1)</script> walk'],
    ['Only one girl, 702 555 0188', 'Only one girl,'],
    ['one (702) 555 0188', ''],
  ])('%s', (text, expected) => {
    expect(removeContactDetails(text)).toBe(expected);
  });

  test.each([
    '250 / h, from 18 to 22',
    'I am 27, 1.70 m. No. 1 in 2026!',
    'Co-founder, e.g. of nothing. Well…',
    'Donations 200/350/500',
    'Available 11/30/2026 - 12/04/2026',
    'Hours 09.00 - 18.00',
  ])('%s is not changed', (text) => {
    expect(removeContactDetails(text)).toBe(text);
  });

  test('leave a mark, and the rest of the text stays as it is', () => {
    expect(hideContactDetails('Hours 09.00 - 18.00\nCall (702) 555-0199 now,\n\nor me@mail.example.')).toBe(
      `Hours 09.00 - 18.00\nCall ${CONTACT_MARK} now,\n\nor ${CONTACT_MARK}.`,
    );
    expect(hideContactDetails(hideContactDetails('702 555 0142'))).toBe(CONTACT_MARK);
  });

  it('are removed in bounded time from any text', () => {
    // The test measures CPU time, because other processes do not affect it. The limit is a multiple of the CPU time for
    // plain words, so the test also passes on a slow machine.
    const cost = (parts: readonly string[], start = '') => {
      const before = process.cpuUsage();
      for (const part of parts) removeContactDetails(`${start}${part.repeat(DESCRIPTION_MAX / part.length)}a`);
      return process.cpuUsage(before).user;
    };
    const hostile = [
      ...['a', 'a.', 'a-', 'a+', 'a_', '1', '1 ', '2\n', '1-', '007 ', '+4 ', '70 2 ', 'two ', 'twotwo', 'double '],
      ...['!', '- ', ' ', '@', 'a@', 'a at ', '(at)', 'www.', '. ', '.', 'telegram ', 'ig: ', 'call 2 '],
      ...[
        '702a',
        'a702 ',
        '1o',
        '250.00 ',
        '10:00',
        '12.12.20 ',
        '0 1 ',
        '0791 ',
        '300 and ',
        'a(dot)',
        '$a',
        'ig 💕 ',
        'a dot ',
        'a_at_',
        'a . ',
        'gmail ',
        'robin.me ',
        't . me / ',
        'telegram robin ',
        'robin on telegram ',
        'insta: r o b i n ',
        '📸 a',
        '微信',
        'qq 1',
        'hundred two ',
        'vingt-',
        "079'",
        '0 7 9 5 ',
        '612 345 678 ',
        '8 (921) ',
        '36.1234 ',
        'CH93 0076 ',
        `${'_'.repeat(120)} `,
        `${'a1'.repeat(60)} on `,
      ],
    ];
    // The first calls compile the patterns.
    const starts = ['', 'http://', 'www.a.com/', 'ig: '];
    for (const start of starts) cost([...hostile, 'word a '], start);
    const plain = cost(Array.from({ length: 10 * hostile.length }, () => 'word a ')) / 10;
    for (const start of starts) expect(cost(hostile, start), start).toBeLessThan(50 * plain);
  });
});

test('only the texts of an ad and of its reviews change, and a text of contact details only is not empty', () => {
  const review = { id: '702 555 0142', name: 'Ben', comment: 'Call 702 555 0142', rating: 5 };
  const ad = { id: '7025550142', name: 'Anna', title: '702 555 0142', price: null, body: 'Tall', reviews: [review] };
  const reviews = [{ ...review, comment: `Call ${CONTACT_MARK}` }];
  expect(hideContactDetailsInAd(ad)).toEqual({ ...ad, title: CONTACT_MARK, reviews });
  expect(hideContactDetailsInAd({ id: '7025550142', name: 'Anna' })).toEqual({ id: '7025550142', name: 'Anna' });
});

describe('a new text of an ad', () => {
  const { body } = AD_FIELDS;
  const view = { name: 'Anna', languages: 'Call 702 555 0142 or me@mail.example' };
  const show = (languages: AdField) => hideContactDetailsInAd(view, findMaskedTexts({ ...AD_FIELDS, languages }));

  test.each(['card', 'page'] as const)(
    'is shown without contact details on the %s if nothing else is declared',
    (shownIn) => {
      expect(show({ ...body, shownIn })).toEqual({ ...view, languages: `Call ${CONTACT_MARK} or ${CONTACT_MARK}` });
    },
  );
  test('is shown with them only if this is declared', () => {
    expect(show({ ...body, showsContactDetails: true })).toEqual(view);
  });
});

test('the address of an ad contains no contact details from its title', () => {
  expect(
    [
      'Call 702 555-0142 tonight',
      'Call seven oh two five five five oh one four two tonight',
      'Call7025550142 tonight',
      'IG 💕 robin_nv tonight',
      '+1 702 555 0142',
    ].map((title) => adSlug(hideContactDetails(title))),
  ).toEqual(['call-tonight', 'call-tonight', 'call-tonight', 'ig-tonight', 'ad']);
});

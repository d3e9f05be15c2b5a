import { describe, expect, test } from 'vitest';
import { EMPTY_OPTIONAL_FIELDS } from '../../src/listing/ad-fields.ts';
import { updateAdFields, parsePhotoUrl, newAdFields, reviewFields, parseVideoUrl } from '../../src/listing/fields.ts';

const valid = {
  name: 'Anna',
  title: 'Good company',
  category: 'escort',
  state: 'NV',
  city: 'Las Vegas',
  description: 'Calm.',
};
const photo = (id: string) => `/uploads/photos/${id}/1600.jpg`;
const NO_AMOUNT = 'Please enter an amount, such as 200/h, or words such as “on request”';
const messageOf = (input: unknown) => newAdFields.safeParse(input).error?.issues[0]?.message ?? null;

describe('a new ad', () => {
  test('requires only the required fields, and defaults the others to null or empty', () => {
    expect(newAdFields.parse(valid)).toEqual({
      ...valid,
      ...EMPTY_OPTIONAL_FIELDS,
      photos: [],
      video: null,
    });
  });
  test.each(['name', 'title', 'state', 'city', 'description'])('without %s is rejected', (field) => {
    for (const value of [undefined, null, '', '  \n ', 7, ['x'], {}])
      expect(messageOf({ ...valid, [field]: value })).toBe('Please fill in all required fields');
  });
  test.each([
    ['an unknown category', { category: 'other' }, 'Please choose a category'],
    ['no category', { category: undefined }, 'Please choose a category'],
    ['a city of another state', { city: 'Albany' }, 'Please choose a state and one of its cities'],
    ['an unknown state', { state: 'ZZ' }, 'Please choose a state and one of its cities'],
    ['a title that is too long', { title: 'x'.repeat(121) }, 'Title must be at most 120 characters'],
    ['a phone of letters', { phone: 'call me' }, 'Please enter a valid phone number'],
    [
      'a script as a website',
      { socialMedia: { website: 'javascript:alert(1)' } },
      'Please enter a web address such as https://example.com',
    ],
    [
      'a website with a name before its host',
      { socialMedia: { website: 'https://example.com@example.org' } },
      'Please enter a web address such as https://example.com',
    ],
    [
      'a link with a name and a password before its host',
      { socialMedia: { instagram: 'https://anna:secret@example.org' } },
      'Instagram must be a handle or a web address',
    ],
    [
      'a script as a handle',
      { socialMedia: { instagram: 'javascript:alert(1)' } },
      'Instagram must be a handle or a web address',
    ],
    ['links that are a list', { socialMedia: [] }, 'Social media must be an object with one link for each network'],
    ['a negative price', { price: '-100' }, 'The price cannot be negative'],
    ['a negative price in dollars', { price: '$ -100/h' }, 'The price cannot be negative'],
    ['a negative price with a minus sign', { price: '\u2212$100' }, 'The price cannot be negative'],
    ['a negative price in another currency', { price: '-€1.500' }, 'The price cannot be negative'],
    ['a currency without an amount as its price', { price: 'abc$$$' }, NO_AMOUNT],
    ['a currency sign as its price', { price: '€' }, NO_AMOUNT],
    ['one letter and a currency sign as its price', { price: 'x €' }, NO_AMOUNT],
    ['photos that are not a list', { photos: 'x' }, 'Photos must be a list'],
    ['six photos', { photos: [1, 2, 3, 4, 5, 6].map((id) => photo(String(id))) }, 'Maximum 5 photos allowed'],
    ['the same photo twice', { photos: [photo('a'), photo('a')] }, 'The same photo is listed twice'],
    ['a photo from elsewhere', { photos: ['https://example.com/a.jpg'] }, 'Use the photo URL that the upload returned'],
    ['a video from elsewhere', { video: 'https://example.com/a.mp4' }, 'Use the video URL that the upload returned'],
    ['a photo as its video', { video: photo('a') }, 'Use the video URL that the upload returned'],
    ['a video as a photo', { photos: ['/uploads/video/a'] }, 'Use the photo URL that the upload returned'],
    ['a number as its video', { video: 5 }, 'Use the video URL that the upload returned'],
    ['a list as its video', { video: ['/uploads/video/a'] }, 'Use the video URL that the upload returned'],
    ['a null character', { title: 'a\u0000b' }, 'Title contains a character that cannot be displayed at position 2'],
    [
      'half a surrogate pair',
      { title: 'a\ud800b' },
      'Title contains a character that cannot be displayed at position 2',
    ],
  ])('with %s is rejected', (_what, change, message) => {
    expect(messageOf({ ...valid, ...change })).toBe(message);
  });
  test.each([
    '200',
    '$200 - $300',
    'from 150€',
    '200/350/500',
    '½ h 100',
    '٢٠٠',
    'On request',
    'auf Anfrage!',
    'Ask me 💋',
    'two hundred €',
    '€ on request',
    '€-auf-Anfrage',
  ])('with the price %s is accepted', (price) => {
    expect(newAdFields.parse({ ...valid, price }).price).toBe(price);
  });
  test.each(['name', 'title', 'price'])('has its %s on one line', (field) => {
    for (const space of ['\u000B', '\u000C', '\n', '\t', '  '])
      expect(newAdFields.parse({ ...valid, [field]: `Calm${space}evening` })).toHaveProperty(field, 'Calm evening');
  });
  test('has a city without line breaks', () => {
    expect(newAdFields.parse({ ...valid, city: 'Las\u000BVegas' }).city).toBe('Las Vegas');
  });
  test('with an unusable character in its phone number or in a link is rejected, with its position', () => {
    const place = 'contains a character that cannot be displayed at position 5';
    expect(messageOf({ ...valid, phone: '  70\u00072 555 0123' })).toBe(`Phone ${place}`);
    expect(messageOf({ ...valid, socialMedia: { website: ' exa\u0007mple.com' } })).toBe(`Website ${place}`);
    expect(messageOf({ ...valid, socialMedia: { instagram: ' @ro\u0007bin' } })).toBe(`Instagram ${place}`);
  });
  test.each([
    ['no-break spaces', '702\u00A0555\u00A00123', '702 555 0123'],
    ['non-breaking hyphens', '702\u2011555\u20110123', '702-555-0123'],
    ['en dashes', '702–555–0123', '702-555-0123'],
    ['a direction mark', '\u200E+1 702 555 0123', '+1 702 555 0123'],
    ['zero-width spaces', '702\u200B555\u200B0123', '7025550123'],
    ['keycap characters', '7\uFE0F\u20E30\uFE0F\u20E32 555 0123', '702 555 0123'],
    ['full-width digits', '７０２ ５５５ ０１２３', '702 555 0123'],
    ['a country code in brackets', '(+1) 702 555 0123', '+1 702 555 0123'],
    ['a slash', '702/555-0123', '702-555-0123'],
    ['a tel: link', 'tel:+1-702-555-0123', '+1-702-555-0123'],
    ['square brackets', '[702] 555 0123', '(702) 555 0123'],
    ['Arabic digits', '٧٠٢٥٥٥٠١٢٣', '7025550123'],
    ['Devanagari digits', '७०२ ५५५ ०१२३', '702 555 0123'],
    ['bullets', '702•555•0123', '702-555-0123'],
    ['the middle dot', '702·555·0123', '702-555-0123'],
    ['a word before it', 'Tel. 702 555 0123', '702 555 0123'],
    ['a word and a colon before it', 'Phone: (702) 555-0123', '(702) 555-0123'],
    ['a symbol', '☎ 702 555 0123', '702 555 0123'],
    ['an emoji', '📞 +1 702 555 0123', '+1 702 555 0123'],
    ['an emoji with a variation selector', '☎️(702) 555-0123', '(702) 555-0123'],
    ['a comma after it', '702 555 0123,', '702 555 0123'],
    ['a semicolon after it', '702 555 0123;', '702 555 0123'],
    ['a full stop after it', '702 555 0123.', '702 555 0123'],
    ['an sms: link', 'sms:+17025550123?body=Hi%205', '+17025550123'],
    ['a whatsapp: link', 'whatsapp:+17025550123', '+17025550123'],
    ['a callto: link', 'callto://+17025550123', '+17025550123'],
    ['a link of WhatsApp', 'https://wa.me/17025550123?text=Hi', '+17025550123'],
    ['a link of WhatsApp without scheme', 'wa.me/+41791234567', '+41791234567'],
    ['a long link of WhatsApp', 'https://api.whatsapp.com/send?phone=17025550123&text=Hi', '+17025550123'],
    ['a link of the WhatsApp app', 'whatsapp://send?text=Hi&phone=%2B17025550123', '+17025550123'],
    ['a messenger after it', '+1 702 555 0123 (WhatsApp)', '+1 702 555 0123'],
    ['a verb before it', 'Call (702) 555-0123', '(702) 555-0123'],
    ['words around it', 'Text me: 702-555-0123 – no calls!', '702-555-0123'],
    ['a letter before it', 'T 702 555 0123', '702 555 0123'],
    ['a letter and a colon before it', 'M: +1 702 555 0123', '+1 702 555 0123'],
    ['a country code in brackets after a word', 'Mobile (+1) 702 555 0123', '+1 702 555 0123'],
    ['hyphen bullets', '702\u2043555\u20430123', '702-555-0123'],
    ['commas', '+1,702,555,0123', '+1-702-555-0123'],
    ['underscores', '702_555_0123', '702-555-0123'],
  ])('a phone number copied with %s is accepted', (_what, copied, phone) => {
    expect(newAdFields.parse({ ...valid, phone: copied })).toMatchObject({ phone });
  });
  test.each([
    'call me',
    '702 CALL NOW',
    '4 girls 702 555 0123',
    'anna7025550123@mail.example',
    'https://example.com/7025550123',
    'example.com/7025550123',
    'https:/wa.me/message/7025550123',
    'https://wa.me/message/ABCDEFG2345678',
    '+',
    '☎',
  ])('the phone number %s is rejected', (phone) => {
    expect(messageOf({ ...valid, phone })).toBe(
      phone.length > 24 ? 'Phone must be at most 24 characters' : 'Please enter a valid phone number',
    );
  });
  test.each(['702 555 0123 or 702 555 0124', '7025550123 7025550124', '+1 702 555 0123 / +1 702 555 0124'])(
    'the two phone numbers %s are rejected',
    (phone) => {
      expect(messageOf({ ...valid, phone })).toBe('Please enter only one phone number');
    },
  );
  test.each([
    'tel:+17025550123;ext=5',
    '702 555 0123 ext. 5',
    '702-555-0123x55',
    '702 555 0123 #5',
    '702 555 0123, ext 5',
  ])('the phone number %s is rejected because of its extension', (phone) => {
    expect(messageOf({ ...valid, phone })).toBe('Please enter a phone number without an extension');
  });
  test.each([
    ['instagram', 'instagram.com/robin', 'https://instagram.com/robin'],
    ['instagram', 'www.instagram.com/robin', 'https://www.instagram.com/robin'],
    ['twitter', 'x.com/robin', 'https://x.com/robin'],
    ['twitter', 'mobile.twitter.com/robin', 'https://mobile.twitter.com/robin'],
    ['facebook', 'https://www.facebook.com/profile.php?id=1000', 'https://www.facebook.com/profile.php?id=1000'],
    ['instagram', 'robin.nights', 'robin.nights'],
    ['instagram', '@robin', '@robin'],
    ['website', 'www.example.com', 'https://www.example.com'],
    ['website', ' example.com ', 'https://example.com'],
    ['website', 'example.com:8080/a?b=c', 'https://example.com:8080/a?b=c'],
    ['website', 'http://example.com', 'http://example.com'],
    ['website', '\u200Bexample.com', 'https://example.com'],
    ['website', 'https://example.com\u200B', 'https://example.com'],
    ['website', 'https://exam\u00ADple.com/\uFE0F', 'https://example.com/'],
    ['website', 'bücher.example', 'https://bücher.example'],
    ['website', 'bu\u0308cher.example', 'https://bücher.example'],
    ['website', 'my_site.wixsite.com/home', 'https://my_site.wixsite.com/home'],
    ['website', 'https://example.com/@robin', 'https://example.com/@robin'],
    ['instagram', '\u200B@robin\u200B', '@robin'],
    ['tiktok', 'https://www.tiktok.com/@robin', 'https://www.tiktok.com/@robin'],
    ['website', 'https://bücher.example', 'https://bücher.example'],
    ['website', 'https://пример.example/a?q=я', 'https://пример.example/a?q=я'],
  ])('the link %s %s is completed', (network, link, expected) => {
    expect(newAdFields.parse({ ...valid, socialMedia: { [network]: link } }).socialMedia).toMatchObject({
      [network]: expected,
    });
  });
  test.each([
    'http:/example.com',
    'https:example.com',
    'https://user:pw@example.com',
    'https://@example.com',
    'https://:@example.com/a',
    'https://example.com\\@example.org',
    'me@example.com',
    'http://evil.example\\@good.com',
    'https://good.com\\.evil.example',
    'https://еxample.com',
    'https://www.exαmple.com/a',
    'example',
    '3.5',
    'http://127.0.0.1/a',
    'http://0x7f.1/',
    'https://192.168.1.20',
    'http://[::1]/',
    'http://localhost',
    'http://robin.localhost/',
  ])('the website %s is rejected', (website) => {
    expect(messageOf({ ...valid, socialMedia: { website } })).toBe(
      'Please enter a web address such as https://example.com',
    );
  });
  test.each([
    ['twitter', 'https://evil.com/robin', 'Twitter'],
    ['instagram', 'https://instagram.com.evil.example/robin', 'Instagram'],
    ['tiktok', 'https://nottiktok.com/@robin', 'TikTok'],
    ['onlyfans', 'www.example.com', 'OnlyFans'],
  ])('the %s link %s of another site is rejected', (network, link, name) => {
    expect(messageOf({ ...valid, socialMedia: { [network]: link } })).toBe(
      `${name} must be an address of this network. Please use the website field for other addresses.`,
    );
  });
  test.each(['https://instagram.com/', 'instagram.com//', 'https://www.instagram.com?'])(
    'the link %s without a name is rejected',
    (instagram) => {
      expect(messageOf({ ...valid, socialMedia: { instagram } })).toBe(
        'Instagram must contain your name at this network',
      );
    },
  );
  test('treats blank optional fields as null', () => {
    expect(
      newAdFields.parse({ ...valid, phone: ' ', price: '', video: ' ', socialMedia: { instagram: '' } }),
    ).toMatchObject({
      phone: null,
      price: null,
      video: null,
      socialMedia: { instagram: null },
    });
  });
  test('drops the fields that the server sets', () => {
    expect(newAdFields.parse({ ...valid, verified: true, views: 99, isFeatured: true })).not.toHaveProperty('verified');
  });
});

describe('changes to an ad', () => {
  test('keep an absent field absent', () => {
    expect(updateAdFields.parse({ title: ' New ' })).toEqual({ title: 'New' });
  });
  test('remove an optional field with null', () => {
    expect(updateAdFields.parse({ phone: null, socialMedia: null, video: null })).toEqual({
      phone: null,
      socialMedia: null,
      video: null,
    });
  });
  test.each(['100-200', '$100 - $200', '200/h', '- ask me -', '--'])('accept the price %s', (price) => {
    expect(updateAdFields.parse({ price })).toEqual({ price });
  });
  test.each(['blob:http://localhost/1', 'data:image/png;base64,AAAA', 'javascript:', 'ftp://host', '/etc/passwd'])(
    'have no photo and no video of %s',
    (base) => {
      const messageFor = (changes: unknown) => updateAdFields.safeParse(changes).error?.issues[0]?.message;
      expect(messageFor({ photos: [`${base}${photo('a')}`] })).toBe('Use the photo URL that the upload returned');
      expect(messageFor({ video: `${base}/uploads/video/a` })).toBe('Use the video URL that the upload returned');
    },
  );
  test('cannot empty a required field', () => {
    expect(updateAdFields.safeParse({ title: '' }).error?.issues[0]?.message).toBe(
      'Please fill in all required fields',
    );
  });
});

test.each([
  ['/uploads/photos/m-1/1600.jpg', 'm-1'],
  ['/uploads/photos/m-1', 'm-1'],
  ['photos/m-1/640.avif', 'm-1'],
  ['https://alpenglow.example/uploads/photos/m-1/320.webp', 'm-1'],
  ['http://localhost:8080/uploads/photos/m-1/1600.jpg', 'm-1'],
  ['/uploads/photos/../secret', null],
  ['/other/m-1', null],
])('the media id in the photo URL %s is %s', (url, id) => {
  expect(parsePhotoUrl(url)).toBe(id);
});

test.each([
  ['/uploads/video/m-1', 'm-1'],
  ['uploads/video/m-1', 'm-1'],
  ['video/m-1', 'm-1'],
  ['https://alpenglow.example/uploads/video/m-1', 'm-1'],
  ['http://localhost:8080/uploads/video/m-1', 'm-1'],
  ['/uploads/video/m-1/extra', null],
  ['/uploads/video/../secret', null],
  ['/uploads/photos/m-1/1600.jpg', null],
])('the media id in the video URL %s is %s', (url, id) => {
  expect(parseVideoUrl(url)).toBe(id);
});

describe('a review', () => {
  const review = { comment: 'Kind.', rating: 5 };
  const errorOf = (input: unknown) => reviewFields.safeParse(input).error?.issues[0]?.message ?? null;

  test('requires a comment and a rating, but no name', () => {
    expect(reviewFields.parse(review)).toEqual({ ...review, name: null });
    expect(reviewFields.parse({ ...review, name: ' Ben ' })).toEqual({ ...review, name: 'Ben' });
    for (const name of [null, ' ']) expect(reviewFields.parse({ ...review, name })).toEqual({ ...review, name: null });
    expect(reviewFields.parse({ ...review, name: 'Ben\u000BK.' })).toEqual({ ...review, name: 'Ben K.' });
  });
  test.each([
    ['no comment', { rating: 5 }, 'Please fill in all required fields'],
    ['a blank comment', { ...review, comment: ' ' }, 'Please fill in all required fields'],
    ['no rating', { comment: 'Kind.' }, 'Please fill in all required fields'],
    [
      'a null character',
      { ...review, comment: 'a\u0000b' },
      'Comment contains a character that cannot be displayed at position 2',
    ],
    ['a comment that is too long', { ...review, comment: 'x'.repeat(1001) }, 'Comment must be at most 1000 characters'],
    ['a name that is too long', { ...review, name: 'x'.repeat(61) }, 'Name must be at most 60 characters'],
    ['rating 0', { ...review, rating: 0 }, 'Rating must be a whole number from 1 to 5'],
    ['rating 6', { ...review, rating: 6 }, 'Rating must be a whole number from 1 to 5'],
    ['rating 4.5', { ...review, rating: 4.5 }, 'Rating must be a whole number from 1 to 5'],
    ['a rating in words', { ...review, rating: '5' }, 'Rating must be a whole number from 1 to 5'],
    ['a rating that is no number', { ...review, rating: NaN }, 'Rating must be a whole number from 1 to 5'],
  ])('with %s is rejected', (_what, input, message) => {
    expect(errorOf(input)).toBe(message);
  });
  test.each([1, 2, 3, 4, 5])('with rating %i is accepted', (rating) => {
    expect(errorOf({ ...review, rating })).toBeNull();
  });
});

import { expect, test } from 'vitest';
import { digestMailText, replyMailText, unsubscribeUrl, type NewReplies } from '../src/thread-mail-texts.ts';

const links = { site: 'https://alpenglow.example', unsubscribeToken: 'anna.all.seal' };
const threadId = '0193a1b2-0000-7000-8000-000000000001';
const replies = (title = 'Quiet places to meet', count = 1, first = 7): NewReplies => ({
  thread: { threadId, place: { country: 'us', state: 'NV', city: 'Las Vegas' }, title },
  count,
  first,
});
const subjectFor = (title: string) => replyMailText(replies(title), links).subject;

test('a mail of one reply says which thread, why it came, where to read on and how to end it', () => {
  expect(replyMailText(replies(), links)).toEqual({
    subject: 'New reply in “Quiet places to meet”',
    text: `Hello,

there is a new reply in “Quiet places to meet”, a thread you follow. Read on here:
https://alpenglow.example/community/us/nv/las-vegas/quiet-places-to-meet-0000000001?post=7#post-7

To get no more mails about this thread, open this link:
https://alpenglow.example/community/unsubscribe#anna.all.seal

All threads you follow, and how you are told of them:
https://alpenglow.example/community?show=following

The Alpenglow team`,
  });
});

test('of several it says how many', () => {
  const { subject, text } = replyMailText(replies('Tea', 3), links);
  expect(subject).toBe('3 new replies in “Tea”');
  expect(text).toContain('there are 3 new replies in “Tea”');
});

test('a digest lists each thread with its new replies and a link, and how many more there are', () => {
  const { subject, text } = digestMailText([replies('Tea', 2), replies('Coffee', 1, 3)], 4, links);
  expect(subject).toBe('New replies in 6 threads you follow');
  expect(text).toContain(
    '“Tea”: 2 new replies\nhttps://alpenglow.example/community/us/nv/las-vegas/tea-0000000001?post=7#post-7',
  );
  expect(text).toContain(
    '“Coffee”: 1 new reply\nhttps://alpenglow.example/community/us/nv/las-vegas/coffee-0000000001?post=3#post-3',
  );
  expect(text).toContain('and 4 more.');
  expect(digestMailText([replies()], 0, links).subject).toBe('New replies in a thread you follow');
  expect(digestMailText([replies()], 0, links).text).not.toContain('more.');
});

test.each([
  ['a phone number', 'Call +41 79 765 43 21 now', 'New reply in “Call now”'],
  ['addresses', 'See evil.example.com/x or me@evil.example', 'New reply in “See or”'],
  ['line ends, which would be headers', 'Tea\r\nBcc: everybody', 'New reply in “Tea Bcc: everybody”'],
  ['line ends of another kind', 'Tea\u2028and\u0085more', 'New reply in “Tea and more”'],
  ['what turns the direction of the rest', 'Tea\u202Eeert\u2066', 'New reply in “Tea eert”'],
  ['nothing but ways to reach somebody', 'www.evil.example', 'New reply in a thread without a title'],
])('a title with %s loses it', (_, title, subject) => {
  expect(subjectFor(title)).toBe(subject);
});

test('a title of another language and its emoji stay whole', () => {
  expect(subjectFor('مرحبا 👩‍👩‍👧‍👦 Grüezi')).toBe('New reply in “مرحبا 👩‍👩‍👧‍👦 Grüezi”');
});

test('a title longer than 80 characters is cut, never within one', () => {
  expect(subjectFor('a'.repeat(80))).toBe(`New reply in “${'a'.repeat(80)}”`);
  expect(subjectFor('👩‍👩‍👧‍👦'.repeat(81))).toBe(`New reply in “${'👩‍👩‍👧‍👦'.repeat(79)}…”`);
});

test('mail programs end it at an address of the API; people by a link whose token no server sees', () => {
  expect(unsubscribeUrl(links)).toBe('https://alpenglow.example/api/community/unsubscribe/anna.all.seal');
});

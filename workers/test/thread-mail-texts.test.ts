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

test('a mail about one reply contains the thread, the reason, and the links to read on and to unsubscribe', () => {
  expect(replyMailText(replies(), links)).toEqual({
    subject: 'New reply in “Quiet places to meet”',
    text: `Hello,

There is a new reply in “Quiet places to meet”, a thread you follow. Continue reading here:
https://alpenglow.example/community/us/nv/las-vegas/quiet-places-to-meet-0000000001?post=7#post-7

To stop e-mails about this thread, open this link:
https://alpenglow.example/community/unsubscribe#anna.all.seal

All threads you follow, and your e-mail settings:
https://alpenglow.example/community?show=following

The Alpenglow team`,
  });
});

test('a mail about several replies contains their number', () => {
  const { subject, text } = replyMailText(replies('Tea', 3), links);
  expect(subject).toBe('3 new replies in “Tea”');
  expect(text).toContain('There are 3 new replies in “Tea”');
});

test('a digest lists each thread with its new replies and a link, and the number of further threads', () => {
  const { subject, text } = digestMailText([replies('Tea', 2), replies('Coffee', 1, 3)], 4, links);
  expect(subject).toBe('New replies in 6 threads you follow');
  expect(text).toContain(
    '“Tea”: 2 new replies\nhttps://alpenglow.example/community/us/nv/las-vegas/tea-0000000001?post=7#post-7',
  );
  expect(text).toContain(
    '“Coffee”: 1 new reply\nhttps://alpenglow.example/community/us/nv/las-vegas/coffee-0000000001?post=3#post-3',
  );
  expect(text).toContain('And 4 more.');
  expect(digestMailText([replies()], 0, links).subject).toBe('New replies in a thread you follow');
  expect(digestMailText([replies()], 0, links).text).not.toContain('more.');
});

test.each([
  ['a phone number', 'Call +41 79 765 43 21 now', 'New reply in “Call now”'],
  ['addresses', 'See evil.example.com/x or me@evil.example', 'New reply in “See or”'],
  ['line breaks, which could add headers', 'Tea\r\nBcc: everybody', 'New reply in “Tea Bcc: everybody”'],
  ['Unicode line separators', 'Tea\u2028and\u0085more', 'New reply in “Tea and more”'],
  ['characters that change the text direction', 'Tea\u202Eeert\u2066', 'New reply in “Tea eert”'],
  ['nothing but contact details', 'www.evil.example', 'New reply in a thread without a title'],
])('removes from a title: %s', (_, title, subject) => {
  expect(subjectFor(title)).toBe(subject);
});

test('keeps other scripts and emoji in a title', () => {
  expect(subjectFor('مرحبا 👩‍👩‍👧‍👦 Grüezi')).toBe('New reply in “مرحبا 👩‍👩‍👧‍👦 Grüezi”');
});

test('cuts a title after 80 characters, never within a character', () => {
  expect(subjectFor('a'.repeat(80))).toBe(`New reply in “${'a'.repeat(80)}”`);
  expect(subjectFor('👩‍👩‍👧‍👦'.repeat(81))).toBe(`New reply in “${'👩‍👩‍👧‍👦'.repeat(79)}…”`);
});

test('unsubscribeUrl returns the URL of the API for mail programs', () => {
  expect(unsubscribeUrl(links)).toBe('https://alpenglow.example/api/community/unsubscribe/anna.all.seal');
});

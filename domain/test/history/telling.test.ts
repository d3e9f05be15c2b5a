import { describe, expect, test } from 'vitest';
import { accountAsOf, accountTelling } from '../../src/account/as-of.ts';
import type { DomainEvent, Recorded } from '../../src/events.ts';
import { asOf, detailsOf, type Telling } from '../../src/history/as-of.ts';
import type { Position } from '../../src/ports/event-store.ts';
import { postsAsOf, threadAsOf, threadTelling } from '../../src/thread/as-of.ts';

const NOON = Date.parse('2026-01-01T12:00:00.000Z');
const minute = (minutes: number) => new Date(NOON + minutes * 60_000).toISOString();

/** Event n happened n minutes after noon, unless its minute is given. */
function recorded(events: readonly DomainEvent[], minutes: readonly number[] = []): readonly Recorded[] {
  return events.map((event, index) => ({
    ...event,
    id: `e-${index}`,
    stream: 's',
    revision: index,
    position: String(index) as Position,
    meta: {
      correlationId: 'c',
      causationId: null,
      actor: { kind: 'system', name: 'test' },
      at: minute(minutes[index] ?? index),
    },
  }));
}
/** The fields each event has changed. */
function changed<State>(telling: Telling<State>, events: readonly Recorded[]): readonly (readonly string[])[] {
  let before = telling.initial;
  return events.map((event) => {
    const after = telling.evolve(before, event);
    const fields = telling.changes(before, after).map(({ field }) => field);
    before = after;
    return fields;
  });
}

const person = {
  email: 'anna@example.com',
  passwordHash: 'secret-hash',
  userType: 'provider',
  displayName: 'Anna',
  age: 30,
} as const;
const registered: DomainEvent = { type: 'AccountRegistered', data: { accountId: 'anna', ...person, isDemo: false } };
const account = { accountId: 'anna' };

describe('an account', () => {
  const events = recorded([
    registered,
    { type: 'EmailVerificationIssued', data: { ...account, issuanceId: 'i1', expiresAt: minute(15) } },
    { type: 'EmailVerified', data: account },
    { type: 'ProfileUpdated', data: { ...account, displayName: 'Annabel' } },
    { type: 'PasswordChanged', data: { ...account, passwordHash: 'another-hash' } },
    { type: 'RoleGranted', data: { ...account, role: 'moderator', reason: 'Asked.' } },
    { type: 'AccountClosed', data: { ...account, reason: 'By request.' } },
    registered,
  ]);

  test('each event tells what it has changed', () => {
    expect(changed(accountTelling, events).slice(1)).toEqual([
      ['hasOpenCode'],
      ['isEmailVerified', 'hasOpenCode'],
      ['displayName'],
      ['passwordChanges'],
      ['role'],
      ['status', 'closedAt'],
      ['status', 'displayName', 'isEmailVerified', 'role', 'passwordChanges', 'registeredAt', 'closedAt'].toSorted(
        (a, b) => ORDER.indexOf(a) - ORDER.indexOf(b),
      ),
    ]);
  });
  test('is not there before it registered, and stays to be read once it is closed', () => {
    expect(accountAsOf(asOf(accountTelling, events, minute(-1)))).toBeNull();
    expect(accountAsOf(asOf(accountTelling, events, minute(3)))).toMatchObject({
      status: 'open',
      displayName: 'Annabel',
      isEmailVerified: true,
      role: null,
    });
    expect(accountAsOf(asOf(accountTelling, events, minute(6)))).toMatchObject({
      status: 'closed',
      displayName: 'Annabel',
      role: 'moderator',
      closedAt: minute(6),
    });
  });
  test('never tells a password, not even what it is kept as', () => {
    const told = events.map((_event, index) => accountAsOf(asOf(accountTelling, events, minute(index))));
    expect(JSON.stringify([told, events.map(detailsOf)])).not.toMatch(/secret-hash|another-hash|issuance/u);
  });
  test('reads as erased once its words are gone', () => {
    const [erased] = recorded([
      { type: 'AccountRegistered', data: { accountId: 'anna', ...person, email: '', displayName: '', isDemo: false } },
    ]);
    expect(accountAsOf(asOf(accountTelling, erased ? [erased] : [], minute(0)))).toMatchObject({ isErased: true });
  });
  test('the reason of an admin is told', () => {
    expect(events.map(detailsOf).at(6)).toEqual([{ name: 'reason', value: 'By request.' }]);
  });
});
const ORDER = [
  'status',
  'email',
  'displayName',
  'userType',
  'age',
  'isEmailVerified',
  'isVerified',
  'role',
  'hasTwoStep',
  'hasOpenCode',
  'hasOpenReset',
  'passwordChanges',
  'repeatOf',
  'registeredAt',
  'closedAt',
  'isErased',
];

describe('a thread', () => {
  const threadId = 't1';
  const started: DomainEvent = {
    type: 'ThreadStarted',
    data: {
      threadId,
      accountId: 'anna',
      admissionId: 'a1',
      country: 'us',
      state: 'NV',
      city: 'Reno',
      title: 'Quiet places',
      body: 'Where?',
      fingerprint: 'f',
    },
  };
  const reply = (number: number): DomainEvent => ({
    type: 'ReplyPosted',
    data: {
      threadId,
      number,
      accountId: 'ben',
      admissionId: 'a2',
      body: `Answer ${number}`,
      fingerprint: 'f',
      quotedNumber: 0,
    },
  });
  const events = recorded([
    started,
    reply(1),
    { type: 'PostEdited', data: { threadId, number: 1, accountId: 'ben', body: 'Better', fingerprint: 'f' } },
    { type: 'PostHidden', data: { threadId, number: 1, accountId: 'ben', by: 'moderator', reason: 'Not here.' } },
    { type: 'ThreadPinned', data: { threadId } },
    { type: 'ThreadMoved', data: { threadId, country: 'us', state: 'NY', city: 'New York City' } },
    { type: 'PostDeleted', data: { threadId, number: 1, accountId: 'ben' } },
  ]);

  test('each event tells what it has changed', () => {
    expect(changed(threadTelling, events).slice(2)).toEqual([
      ['posts.1.body', 'posts.1.editedAt'],
      ['posts.1.status'],
      ['isPinned'],
      ['state', 'city'],
      ['posts.1.status'],
    ]);
    expect(changed(threadTelling, events)[1]).toEqual([
      'postCount',
      'posts.1.accountId',
      'posts.1.status',
      'posts.1.body',
      'posts.1.quotedNumber',
      'posts.1.postedAt',
    ]);
  });
  test('its posts stand as they did then, hidden and deleted ones with their words', () => {
    const at = (minutes: number) => postsAsOf(asOf(threadTelling, events, minute(minutes)), 1, 50);
    expect(at(0)).toEqual([]);
    expect(at(1)).toEqual([
      {
        number: 1,
        accountId: 'ben',
        status: 'visible',
        body: 'Answer 1',
        quotedNumber: 0,
        postedAt: minute(1),
        editedAt: null,
      },
    ]);
    expect(at(3)).toMatchObject([{ status: 'hidden', body: 'Better', editedAt: minute(2) }]);
    expect(at(6)).toMatchObject([{ status: 'deleted', body: 'Better' }]);
    expect(threadAsOf(asOf(threadTelling, events, minute(4)))).toMatchObject({
      isPinned: true,
      city: 'Reno',
      postCount: 2,
    });
  });
  test('of a long one, each reply is told under its own number', () => {
    const long = recorded([started, ...Array.from({ length: 300 }, (_one, index) => reply(index + 1))]);
    expect(changed(threadTelling, long).flatMap((fields) => fields.filter((field) => field.endsWith('.body')))).toEqual(
      Array.from({ length: 301 }, (_one, number) => `posts.${number}.body`),
    );
    expect(postsAsOf(asOf(threadTelling, long, minute(300)), 150, 2)).toMatchObject([
      { number: 150, body: 'Answer 150' },
      { number: 151 },
    ]);
  });
  test('a clock that went backwards undoes nothing: events are told in their order', () => {
    const skewed = recorded([started, reply(1), reply(2)], [0, 10, 5]);
    expect(postsAsOf(asOf(threadTelling, skewed, minute(7)), 1, 50)).toEqual([]);
    expect(postsAsOf(asOf(threadTelling, skewed, minute(10)), 1, 50)).toHaveLength(2);
  });
});

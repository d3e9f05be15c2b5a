import { describe, expect, test } from 'vitest';
import { stateAt } from '../../../tests/support/state-at.ts';
import type { StreamId } from '../../src/aggregate.ts';
import { toAccountSnapshot, accountHistoryReducer } from '../../src/account/snapshot.ts';
import type { DomainEvent, RecordedDomainEvent } from '../../src/events.ts';
import { extractDetails, type HistoryReducer } from '../../src/history/history-reducer.ts';
import { createAdHistoryReducer, toAdSnapshot } from '../../src/listing/snapshot.ts';
import type { CaseId } from '../../src/moderation/subject.ts';
import type { Position } from '../../src/ports/event-store.ts';
import { toPostSnapshots, toThreadSnapshot, threadHistoryReducer } from '../../src/thread/snapshot.ts';
import { adPosted } from '../listing/posted-ad.ts';

const NOON = Date.parse('2026-01-01T12:00:00.000Z');
const minute = (minutes: number) => new Date(NOON + minutes * 60_000).toISOString();

/**
 * Returns the events as the event store would return them. `minutes` contains their times in minutes after noon. By
 * default, the first event is at noon and each further event one minute later.
 */
function recorded(events: readonly DomainEvent[], minutes: readonly number[] = []): readonly RecordedDomainEvent[] {
  return events.map((event, index) => ({
    ...event,
    id: `e-${index}`,
    stream: 's' as StreamId,
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
/** Returns, for each event, the names of the fields that the event changes. */
function changed<State>(
  reducer: HistoryReducer<State>,
  events: readonly RecordedDomainEvent[],
): readonly (readonly string[])[] {
  let before = reducer.initial;
  return events.map((event) => {
    const after = reducer.evolve(before, event);
    const fields = reducer.findChanges(before, after).map(({ field }) => field);
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

test('the history of a deleted ad never shows a later ad of its owner', () => {
  const caseId = 'ad-a1' as CaseId;
  const ids = { accountId: 'anna', adId: 'a1' };
  const events = recorded([
    adPosted({ title: 'The first ad' }),
    { type: 'AdHidden', data: { ...ids, by: 'moderator', caseId } },
    { type: 'AdDeleted', data: { ...ids, reason: null } },
    adPosted({ adId: 'a2', title: 'A later ad' }),
    { type: 'AdHoldLifted', data: { ...ids, caseId } },
  ]);
  expect(toAdSnapshot(stateAt(createAdHistoryReducer('a1'), events, minute(10)))).toMatchObject({
    title: 'The first ad',
    status: 'deleted',
  });
});

describe('the history of an account', () => {
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

  test('lists the changes of each event', () => {
    expect(changed(accountHistoryReducer, events).slice(1)).toEqual([
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
  test('is empty before the registration, and keeps the account after the closing', () => {
    expect(toAccountSnapshot(stateAt(accountHistoryReducer, events, minute(-1)))).toBeNull();
    expect(toAccountSnapshot(stateAt(accountHistoryReducer, events, minute(3)))).toMatchObject({
      status: 'open',
      displayName: 'Annabel',
      isEmailVerified: true,
      role: null,
    });
    expect(toAccountSnapshot(stateAt(accountHistoryReducer, events, minute(6)))).toMatchObject({
      status: 'closed',
      displayName: 'Annabel',
      role: 'moderator',
      closedAt: minute(6),
    });
  });
  test('never contains a password or its hash', () => {
    const snapshots = events.map((_event, index) =>
      toAccountSnapshot(stateAt(accountHistoryReducer, events, minute(index))),
    );
    expect(JSON.stringify([snapshots, events.map(extractDetails)])).not.toMatch(/secret-hash|another-hash|issuance/u);
  });
  test('shows an account as erased if its texts are empty', () => {
    const [erased] = recorded([
      { type: 'AccountRegistered', data: { accountId: 'anna', ...person, email: '', displayName: '', isDemo: false } },
    ]);
    expect(toAccountSnapshot(stateAt(accountHistoryReducer, erased ? [erased] : [], minute(0)))).toMatchObject({
      isErased: true,
    });
  });
  test('contains the reason of an admin', () => {
    expect(events.map(extractDetails).at(6)).toEqual([{ name: 'reason', value: 'By request.' }]);
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

describe('the history of a thread', () => {
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

  test('lists the changes of each event', () => {
    expect(changed(threadHistoryReducer, events).slice(2)).toEqual([
      ['posts.1.body', 'posts.1.editedAt'],
      ['posts.1.status'],
      ['isPinned'],
      ['state', 'city'],
      ['posts.1.status'],
    ]);
    expect(changed(threadHistoryReducer, events)[1]).toEqual([
      'postCount',
      'posts.1.accountId',
      'posts.1.status',
      'posts.1.body',
      'posts.1.quotedNumber',
      'posts.1.postedAt',
    ]);
  });
  test('contains the posts at that moment, including the texts of hidden and deleted ones', () => {
    const at = (minutes: number) => toPostSnapshots(stateAt(threadHistoryReducer, events, minute(minutes)), 1, 50);
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
    expect(toThreadSnapshot(stateAt(threadHistoryReducer, events, minute(4)))).toMatchObject({
      isPinned: true,
      city: 'Reno',
      postCount: 2,
    });
  });
  test('lists each reply of a long thread under its number', () => {
    const long = recorded([started, ...Array.from({ length: 300 }, (_one, index) => reply(index + 1))]);
    expect(
      changed(threadHistoryReducer, long).flatMap((fields) => fields.filter((field) => field.endsWith('.body'))),
    ).toEqual(Array.from({ length: 301 }, (_one, number) => `posts.${number}.body`));
    expect(toPostSnapshots(stateAt(threadHistoryReducer, long, minute(300)), 150, 2)).toMatchObject([
      { number: 150, body: 'Answer 150' },
      { number: 151 },
    ]);
  });
  test('applies events in stream order, even if the clock was set back', () => {
    const skewed = recorded([started, reply(1), reply(2)], [0, 10, 5]);
    expect(toPostSnapshots(stateAt(threadHistoryReducer, skewed, minute(7)), 1, 50)).toEqual([]);
    expect(toPostSnapshots(stateAt(threadHistoryReducer, skewed, minute(10)), 1, 50)).toHaveLength(2);
  });
});

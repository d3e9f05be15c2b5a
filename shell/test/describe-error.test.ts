import { ApiError, type Session } from '@alpenglow/ui';
import type { UserView } from '@alpenglow/domain/contracts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { describeError, getErrorId } from '../src/reports/describe-error.ts';

const ANONYMOUS: Session = { state: 'anonymous' };
const MEMBER: Session = { state: 'authenticated', token: 't', user: { isModerator: false } as UserView };
const STAFF: Session = { state: 'authenticated', token: 't', user: { isModerator: true } as UserView };

const setDemo = (isDemo: boolean) => {
  globalThis.alpenglowRendering = { at_ms: 0, isDemo, lazyParts: new Set(), isCollectingQueries: false };
};
beforeEach(() => setDemo(false));
afterEach(() => {
  globalThis.alpenglowRendering = undefined;
});

const bug = new TypeError("Cannot read properties of undefined (reading 'media')");
const fromServer = new ApiError('Ad not found', { status: 404, code: 'AD_NOT_FOUND' });
const reference = () => `Reference: ${getErrorId()}`;

test('staff and visitors of a demo see the text of every error (R-2.37)', () => {
  expect(describeError(bug, STAFF)).toBe(bug.message);
  expect(describeError(fromServer, STAFF)).toBe('Ad not found');
  expect(describeError('a thrown text', STAFF)).toBe('a thrown text');
  setDemo(true);
  expect(describeError(bug, ANONYMOUS)).toBe(bug.message);
});

test('others see only texts that the server has written for users, and else the correlation id', () => {
  for (const session of [ANONYMOUS, MEMBER]) {
    expect(describeError(fromServer, session)).toBe('Ad not found');
    for (const error of [bug, 'a thrown text', null]) expect(describeError(error, session)).toBe(reference());
  }
});

test('an error without a text shows the correlation id', () => {
  expect(describeError(new Error(''), STAFF)).toBe(reference());
  expect(getErrorId()).toMatch(/^[0-9a-f]{24}$/u);
  expect(getErrorId()).toBe(getErrorId());
});

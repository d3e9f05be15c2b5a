import { ApiError, showFieldErrors } from '@alpenglow/ui';
import { describe, expect, test, vi } from 'vitest';
import { findFailureReason } from '../src/pages/auth/failure-reason.ts';
import { readAccountState } from '../src/pages/auth/navigation-state.ts';
import { getRetryAfter_s } from '../src/pages/auth/form-error.ts';
import { readResetState } from '../src/pages/auth/reset-state.ts';
import { secondsLeft } from '../src/pages/auth/use-countdown.ts';

const apiError = (details: Partial<ConstructorParameters<typeof ApiError>[1]>) =>
  new ApiError('Login failed', { status: 400, code: 'X', ...details });

describe('field errors of an API error', () => {
  test('appear next to their fields, focus the first one, and leave the text above the form empty', () => {
    const setError = vi.fn();
    expect(
      showFieldErrors(
        apiError({ fields: { password: 'too short', email: 'wrong' } }),
        ['email', 'password'],
        setError,
        'fallback',
      ),
    ).toBeNull();
    expect(setError.mock.calls).toEqual([
      ['email', { message: 'wrong' }, { shouldFocus: true }],
      ['password', { message: 'too short' }, { shouldFocus: false }],
    ]);
  });

  test('an error without a matching field appears above the form', () => {
    const setError = vi.fn();
    expect(
      showFieldErrors(apiError({ fields: { email: 'wrong', other: 'bad' } }), ['email'], setError, 'fallback'),
    ).toBe('Login failed');
    expect(showFieldErrors(apiError({}), ['email'], setError, 'fallback')).toBe('Login failed');
    expect(showFieldErrors(new TypeError('x'), ['email'], setError, 'fallback')).toBe('fallback');
    expect(setError).toHaveBeenCalledTimes(1);
  });
});

test.each([
  ['a wrong password or an unknown address', { status: 401, code: 'LOGIN_FAILED' }, 'login'],
  ['a wrong code', { status: 400, code: 'VERIFICATION_FAILED' }, 'code'],
  ['a wrong code for a new password', { status: 400, code: 'RESET_FAILED' }, 'code'],
  ['another code too soon', { status: 429, code: 'RESEND_TOO_SOON' }, 'resend'],
  ['too many requests, rejected by a proxy', { status: 429, code: 'UNKNOWN' }, 'limit'],
  ['no response in time', { status: 0, code: 'TIMEOUT' }, 'timeout'],
  ['no response of the server to a proxy', { status: 504, code: 'UNKNOWN' }, 'timeout'],
  ['an error of the server', { status: 500, code: 'INTERNAL' }, 'server'],
  ['a busy server', { status: 503, code: 'UNAVAILABLE' }, 'server'],
  ['a response that cannot be read', { status: 200, code: 'BAD_ANSWER' }, 'server'],
  ['a response without a message', { status: 401, code: 'UNKNOWN' }, 'unknown'],
  // These messages say themselves what to do.
  ['no connection', { status: 0, code: 'NETWORK' }, null],
  ['many failed logins', { status: 429, code: 'LOGIN_DELAYED' }, null],
  ['too many requests', { status: 429, code: 'RATE_LIMITED' }, null],
  ['a wrong code of an app', { status: 401, code: 'TWO_STEP_FAILED' }, null],
])('the reason of %s', (_failure, details, reason) => {
  expect(findFailureReason(apiError(details))).toBe(reason && `auth.reason.${reason}`);
});

test('an error of the page itself has a reason, too', () => {
  expect(findFailureReason(new TypeError('x'))).toBe('auth.reason.unknown');
});

test('a waiting time is in whole seconds, and null if the server named none', () => {
  expect(getRetryAfter_s(apiError({ retryAfter_s: 41.2 }))).toBe(42);
  expect(getRetryAfter_s(apiError({ retryAfter_s: 0 }))).toBeNull();
  expect(getRetryAfter_s(apiError({}))).toBeNull();
  expect(getRetryAfter_s(new Error('x'))).toBeNull();
});

test('the remaining seconds follow the clock and stop at 0', () => {
  expect([10_000, 10_001, 10_999, 11_000, 11_001, 99_000].map((now_ms) => secondsLeft(11_000, now_ms))).toEqual([
    1, 1, 1, 0, 0, 0,
  ]);
});

describe('the navigation state between account pages', () => {
  test('is read back unchanged', () => {
    expect(readAccountState({ from: '/pricing', email: 'a@example.com', demoCode: '123456' })).toEqual({
      from: '/pricing',
      email: 'a@example.com',
      demoCode: '123456',
    });
    expect(readResetState({ from: null, email: 'a@example.com', isSent: true })).toEqual({
      from: null,
      email: 'a@example.com',
      isSent: true,
    });
  });

  test.each([[null], [undefined], ['text'], [{ from: '//elsewhere.example', email: 7, demoCode: {} }]])(
    'ignores invalid values: %j',
    (state) => {
      expect(readAccountState(state)).toEqual({ from: null, email: '', demoCode: null });
    },
  );

  test('counts a code as sent only if there is an address', () =>
    expect(readResetState({ isSent: true })).toEqual({ from: null, email: '', isSent: false }));
});

import { ApiError, showFieldErrors } from '@alpenglow/ui';
import { describe, expect, test, vi } from 'vitest';
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

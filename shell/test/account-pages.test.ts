import { ApiError } from '@alpenglow/ui';
import { describe, expect, test, vi } from 'vitest';
import { readAccountState } from '../src/pages/auth/navigation-state.ts';
import { placeRefusal, waitAfter } from '../src/pages/auth/refusal.ts';
import { readResetState } from '../src/pages/auth/reset-state.ts';
import { secondsLeft } from '../src/pages/auth/use-countdown.ts';

const refusal = (details: Partial<ConstructorParameters<typeof ApiError>[1]>) =>
  new ApiError('Login failed', { status: 400, code: 'X', ...details });

describe('what the server says of fields', () => {
  test('stands beside them, the first of them takes the focus, and nothing stands above', () => {
    const setError = vi.fn();
    expect(
      placeRefusal(
        refusal({ fields: { password: 'too short', email: 'wrong' } }),
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

  test('a complaint without a field of its own stands above', () => {
    const setError = vi.fn();
    expect(placeRefusal(refusal({ fields: { email: 'wrong', other: 'bad' } }), ['email'], setError, 'fallback')).toBe(
      'Login failed',
    );
    expect(placeRefusal(refusal({}), ['email'], setError, 'fallback')).toBe('Login failed');
    expect(placeRefusal(new TypeError('x'), ['email'], setError, 'fallback')).toBe('fallback');
    expect(setError).toHaveBeenCalledTimes(1);
  });
});

test('a wait is in whole seconds, and only where the server named one', () => {
  expect(waitAfter(refusal({ retryAfter_s: 41.2 }))).toBe(42);
  expect(waitAfter(refusal({ retryAfter_s: 0 }))).toBeNull();
  expect(waitAfter(refusal({}))).toBeNull();
  expect(waitAfter(new Error('x'))).toBeNull();
});

test('seconds left go by the clock and end at 0', () => {
  expect([10_000, 10_001, 10_999, 11_000, 11_001, 99_000].map((now_ms) => secondsLeft(11_000, now_ms))).toEqual([
    1, 1, 1, 0, 0, 0,
  ]);
});

describe('what one page hands to the next', () => {
  test('comes back as it was', () => {
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
    'anything else is nothing: %j',
    (state) => {
      expect(readAccountState(state)).toEqual({ from: null, email: '', demoCode: null });
    },
  );

  test('a code was sent only to an address', () =>
    expect(readResetState({ isSent: true })).toEqual({ from: null, email: '', isSent: false }));
});

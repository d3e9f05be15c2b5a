import { afterEach, describe, expect, it, vi } from 'vitest';
import { firstPosition, takeFirstAnswer } from '../src/api/first-answers.ts';

/** A page whose block holds this text, reached in this way. */
function open(text: string | null, type = 'navigate') {
  const block = { textContent: text };
  vi.stubGlobal('document', {
    getElementById: (id: string) => (text !== null && id === 'first-answers' ? block : null),
  });
  vi.spyOn(performance, 'getEntriesByType').mockReturnValue([{ type } as unknown as PerformanceEntry]);
  vi.spyOn(performance, 'now').mockReturnValue(1_000);
}
afterEach(() => vi.unstubAllGlobals());

const PAGE =
  '{"position":"0000000000000000007","answers":{"/api/ads":{"success":true},"/api/ads/counts":{"success":true}}}';

describe('answers inside the first HTML', () => {
  it('are each good for one call, and the position stays', () => {
    open(PAGE);
    expect(takeFirstAnswer('/api/ads')).toEqual({ success: true });
    expect(takeFirstAnswer('/api/ads')).toBeUndefined();
    expect(takeFirstAnswer('/api/ads/counts')).toEqual({ success: true });
    expect(firstPosition()).toBe('0000000000000000007');
  });

  it('are good for a moment only', () => {
    open(PAGE);
    vi.spyOn(performance, 'now').mockReturnValue(15_000);
    expect(takeFirstAnswer('/api/ads')).toBeUndefined();
  });

  it('of a page that the browser kept are no longer true', () => {
    open(PAGE, 'back_forward');
    expect([takeFirstAnswer('/api/ads'), firstPosition()]).toEqual([undefined, null]);
  });

  it.each([null, '', 'no json'])('%j is none', (text) => {
    open(text);
    expect([takeFirstAnswer('/api/ads'), firstPosition()]).toEqual([undefined, null]);
  });
});

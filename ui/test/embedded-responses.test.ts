import { afterEach, describe, expect, it, vi } from 'vitest';
import { getEmbeddedPosition, takeEmbeddedResponse } from '../src/api/embedded-responses.ts';

/**
 * Simulates a page whose `<script>` element for embedded API responses contains `text`. `type` is the type of
 * navigation that opened the page.
 */
function open(text: string | null, type = 'navigate') {
  const block = { textContent: text, dataset: {} };
  vi.stubGlobal('document', {
    getElementById: (id: string) => (text !== null && id === 'first-answers' ? block : null),
  });
  vi.spyOn(performance, 'getEntriesByType').mockReturnValue([{ type } as PerformanceNavigationTiming]);
  vi.spyOn(performance, 'now').mockReturnValue(1_000);
}
afterEach(() => vi.unstubAllGlobals());

const PAGE =
  '{"position":"0000000000000000007","answers":{"/api/ads":{"success":true},"/api/ads/counts":{"success":true}}}';

describe('API responses embedded in the first HTML', () => {
  it('are each used for one request, and their position remains', () => {
    open(PAGE);
    expect(takeEmbeddedResponse('/api/ads')).toEqual({ success: true });
    expect(takeEmbeddedResponse('/api/ads')).toBeUndefined();
    expect(takeEmbeddedResponse('/api/ads/counts')).toEqual({ success: true });
    expect(getEmbeddedPosition()).toBe('0000000000000000007');
  });

  it('expire after 15 seconds', () => {
    open(PAGE);
    vi.spyOn(performance, 'now').mockReturnValue(15_000);
    expect(takeEmbeddedResponse('/api/ads')).toBeUndefined();
  });

  it('are ignored on a page from the browser history', () => {
    open(PAGE, 'back_forward');
    expect([takeEmbeddedResponse('/api/ads'), getEmbeddedPosition()]).toEqual([undefined, null]);
  });

  it.each([null, '', 'no json'])('are missing if the block contains %j', (text) => {
    open(text);
    expect([takeEmbeddedResponse('/api/ads'), getEmbeddedPosition()]).toEqual([undefined, null]);
  });
});

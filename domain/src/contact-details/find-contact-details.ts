import { findAddresses } from './addresses.ts';
import { findPhoneNumbers } from './phone-numbers.ts';
import { createReadableText, type Span } from './readable-text.ts';
import { findSpokenNumbers } from './spoken-numbers.ts';

function mergeSpans(spans: readonly Span[]): readonly Span[] {
  const merged: Span[] = [];
  for (const span of spans.toSorted((first, second) => first.start - second.start)) {
    const last = merged.at(-1);
    if (last && span.start < last.end) merged[merged.length - 1] = { ...last, end: Math.max(last.end, span.end) };
    else merged.push(span);
  }
  return merged;
}

/** The minimum length of a text whose result is stored, and the maximum number of stored results. */
const STORED_MIN_characters = 200;
const STORED_MAX = 1_000;

/** The results of the last long texts, the least recently used first. */
const stored = new Map<string, readonly Span[]>();

/**
 * Returns the ranges of contact details in a text, in their order: telephone numbers, and addresses of mail, web and
 * messengers. Prices, dates, times and measures are none. The corpus in `domain/test/contact-details` states
 * what is found. The search takes up to 30 ms for a text with thousands of digits, so the results of the last texts are
 * stored. Otherwise, each view of an ad with such a text would take as long.
 */
export function findContactDetails(text: string): readonly Span[] {
  const known = stored.get(text);
  stored.delete(text);
  const spans = known ?? search(text);
  if (text.length >= STORED_MIN_characters) stored.set(text, spans);
  const [oldest] = stored.size > STORED_MAX ? stored.keys() : [];
  if (oldest !== undefined) stored.delete(oldest);
  return spans;
}

function search(text: string): readonly Span[] {
  const readable = createReadableText(text);
  const ranges = [
    ...findAddresses(readable.text),
    ...findPhoneNumbers(readable.text),
    ...findSpokenNumbers(readable.text),
  ];
  return mergeSpans(ranges.map(([start, end]) => readable.toSpan(start, end)));
}

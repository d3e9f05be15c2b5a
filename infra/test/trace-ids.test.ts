import { expect, test } from 'vitest';
import {
  isMarkedRecorded,
  parseTraceparent,
  toTraceId,
  toTraceparent,
  toUnrecordedTraceparent,
} from '../src/tracing/trace-ids.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

test('parseTraceparent accepts the header of W3C Trace Context, also of later versions', () => {
  const place = { traceId: TRACE, spanId: SPAN };
  expect(parseTraceparent(`00-${TRACE}-${SPAN}-00`)).toEqual(place);
  expect(parseTraceparent(`01-${TRACE}-${SPAN}-03-more`)).toEqual(place);
  expect(parseTraceparent(toTraceparent(TRACE, SPAN))).toEqual(place);
});

test.each([
  undefined,
  '',
  TRACE,
  `ff-${TRACE}-${SPAN}-00`,
  `00-${'0'.repeat(32)}-${SPAN}-00`,
  `00-${TRACE}-${'0'.repeat(16)}-00`,
  `00-${TRACE.toUpperCase()}-${SPAN}-00`,
  `00-${TRACE}-${SPAN}-0`,
  `00-${TRACE}-${SPAN}-00-${'x'.repeat(200)}`,
])('parseTraceparent rejects %s', (header) => {
  expect(parseTraceparent(header)).toBeNull();
});

test('a UUID has its own digits as trace id, and any other text a part of its hash', () => {
  expect(toTraceId('4bf92f35-77b3-4da6-a3ce-929d0e0e4736')).toBe(TRACE);
  expect(toTraceId(TRACE)).toBe(TRACE);
  for (const id of ['my-request-1', 'seed', '0'.repeat(32)]) {
    expect(toTraceId(id)).toMatch(/^[0-9a-f]{32}$/u);
    expect(toTraceId(id)).toBe(toTraceId(id));
    expect(toTraceId(id)).not.toBe('0'.repeat(32));
  }
});

test('an unrecorded trace has a header without the mark', () => {
  const header = toUnrecordedTraceparent({ traceId: TRACE, spanId: null });
  expect(parseTraceparent(header)?.traceId).toBe(TRACE);
  expect(isMarkedRecorded(header)).toBe(false);
  expect(isMarkedRecorded(toTraceparent(TRACE, SPAN))).toBe(true);
  expect(isMarkedRecorded(`00-${TRACE}-${SPAN}-03`)).toBe(true);
});

import type { AdLiveMessage } from '@alpenglow/domain/contracts';
import { expect, test } from 'vitest';
import { addLiveEvent } from '../src/ads/use-live-events.ts';

const bump = (seq: string): AdLiveMessage => ({
  type: 'ad_bumped',
  seq,
  adId: 'a',
  place: null,
  isRestored: false,
  at: '2026-11-30T10:00:00.000Z',
});
const NONE: ReturnType<typeof addLiveEvent> = { list: '', events: [] };

test('an event is counted once, also after other events', () => {
  const known = ['1', '2', '1', '2'].reduce((before, seq) => addLiveEvent(before, 'list', bump(seq)), NONE);
  expect(known.events.map(({ seq }) => seq)).toEqual(['1', '2']);
});

test('an event of another list replaces the earlier events, and at most 99 are counted', () => {
  let known = addLiveEvent(NONE, 'other', bump('0'));
  for (let seq = 1; seq <= 120; seq += 1) known = addLiveEvent(known, 'list', bump(String(seq)));
  expect([known.list, known.events.length, known.events.at(-1)?.seq]).toEqual(['list', 99, '120']);
});

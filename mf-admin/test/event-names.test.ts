import { ENTRY_TYPES_WITHOUT_EVENT, EVENT_DEFINITIONS } from '@alpenglow/domain';
import { expect, test } from 'vitest';
import { EVENT_TYPES } from '../src/history/labels.ts';
import en from '../src/locales/en.json';
import { LOGGED_EVENT_TYPES } from '../src/log/logged-event-types.ts';

test('the filter of the moderation log contains every type of entry of the log', () => {
  const logged = EVENT_DEFINITIONS.filter(({ moderationLog }) => moderationLog !== 'never').map(({ type }) => type);
  expect([...LOGGED_EVENT_TYPES].sort()).toEqual([...logged, ...ENTRY_TYPES_WITHOUT_EVENT].sort());
});

test('every event type that the panel shows has a name', () => {
  const shown = [...LOGGED_EVENT_TYPES, ...Object.values(EVENT_TYPES).flat()];
  expect(shown.filter((type) => !(`event.${type}` in en))).toEqual([]);
});

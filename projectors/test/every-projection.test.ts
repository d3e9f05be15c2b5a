import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { DomainEvent, DomainEventType, RecordedDomainEvent } from '@alpenglow/domain';
import { describe, expect, test } from 'vitest';
import { applyEvent, type Row } from '../src/projection.ts';
import { PROJECTIONS } from '../src/projections/index.ts';
import { STARTED_AT, project } from './project.ts';
import { SAMPLES } from './samples.ts';

/** For each projection, an event that creates a row. */
const FIRST: Readonly<Record<string, DomainEvent>> = {
  ad_cards: SAMPLES.AdPosted,
  ad_details: SAMPLES.AdPosted,
  ad_owners: SAMPLES.AdPosted,
  ad_standings: SAMPLES.AdPosted,
  transparency_days: SAMPLES.ReportFiled,
  accounts: SAMPLES.AccountRegistered,
  media_items: SAMPLES.MediaUploaded,
  erasures: SAMPLES.ErasureRequested,
  daily_counts: SAMPLES.AccountRegistered,
  favorites: SAMPLES.AdFavorited,
  verification_codes: SAMPLES.EmailVerificationIssued,
  community_threads: SAMPLES.ThreadStarted,
  community_posts: SAMPLES.ReplyPosted,
  thread_follows: SAMPLES.ThreadFollowed,
  helpful_marks: SAMPLES.PostMarkedHelpful,
  articles: SAMPLES.ArticleDrafted,
  ad_links: SAMPLES.AdPosted,
  moderation_cases: SAMPLES.CaseOpened,
  decisions: SAMPLES.CaseDecided,
  reports: SAMPLES.ReportFiled,
  hiding_rules: SAMPLES.HidingRuleDrafted,
  identity_checks: SAMPLES.IdentityCheckRequested,
};

describe.each(PROJECTIONS.map((projection) => [projection.name, projection] as const))('%s', (name, projection) => {
  const first = FIRST[name];
  if (!first) throw new Error(`FIRST has no event for ${name}`);

  test('sets every column with its first event', () => {
    const [row] = Object.values(project(projection, first));
    expect(Object.keys(row ?? {})).toEqual(Object.keys(projection.columns));
  });

  // If a process stops before the transaction of a projection is committed, the same events are applied again.
  test.each(Object.keys(projection.on) as DomainEventType[])(
    '%s results in the same rows if the same events are applied again',
    (type) => {
      const history = [first, SAMPLES[type]];
      expect(project(projection, ...history)).toEqual(project(projection, ...history));
    },
  );

  test.each(Object.keys(projection.on) as DomainEventType[])(
    '%s without an existing row creates no row or a complete one',
    (type) => {
      for (const row of Object.values(project(projection, SAMPLES[type])))
        expect(Object.keys(row)).toEqual(Object.keys(projection.columns));
    },
  );

  test.each((projection.lazyColumns?.on ?? []).map((type) => [type] as const))(
    '%s neither reads nor changes the columns of `lazyColumns`',
    (type) => {
      const { columns = [] } = projection.lazyColumns ?? {};
      const [row] = Object.values(project(projection, first));
      if (!row) throw new Error(`${first.type} creates no row`);
      const without = (whole: Row) =>
        Object.fromEntries(Object.entries(whole).filter(([column]) => !columns.includes(column)));
      const event = { ...SAMPLES[type], meta: { at: STARTED_AT }, revision: 1 } as RecordedDomainEvent;
      const after = applyEvent(projection, event, row);
      expect(applyEvent(projection, event, without(row))).toEqual(after && without(after));
      for (const column of columns) expect(after?.[column]).toBe(row[column]);
    },
  );
});

test('every event type that a projection handles occurs in a test of this folder', () => {
  const others = readdirSync(import.meta.dirname).filter(
    (file) => file.endsWith('.test.ts') && file !== path.basename(import.meta.filename),
  );
  const tests = others.map((file) => readFileSync(path.join(import.meta.dirname, file), 'utf8')).join('\n');
  const untested = PROJECTIONS.flatMap(({ name, on }) =>
    Object.keys(on)
      .filter((type) => !tests.includes(type))
      .map((type) => `${name}: ${type}`),
  );
  expect(untested).toEqual([]);
});

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { DomainEvent, DomainEventType, Recorded } from '@alpenglow/domain';
import { describe, expect, test } from 'vitest';
import { applyEvent, type Row } from '../src/projection.ts';
import { PROJECTIONS } from '../src/projections/index.ts';
import { AT, project } from './given.ts';
import { SAMPLES } from './samples.ts';

/** What makes the rows of each projection. */
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
  if (!first) throw new Error(`${name} has no first event here`);

  test('writes every column with its first event', () => {
    const [row] = Object.values(project(projection, first));
    expect(Object.keys(row ?? {})).toEqual(Object.keys(projection.columns));
  });

  // A runner that dies before its transaction commits starts over from the rows as they were.
  test.each(Object.keys(projection.on) as DomainEventType[])(
    '%s, run twice over the same events, gives the same rows',
    (type) => {
      const history = [first, SAMPLES[type]];
      expect(project(projection, ...history)).toEqual(project(projection, ...history));
    },
  );

  test.each(Object.keys(projection.on) as DomainEventType[])(
    '%s of something that is not there makes nothing, or all of it',
    (type) => {
      for (const row of Object.values(project(projection, SAMPLES[type])))
        expect(Object.keys(row)).toEqual(Object.keys(projection.columns));
    },
  );

  test.each((projection.leaves?.on ?? []).map((type) => [type] as const))(
    '%s neither reads nor changes what it leaves in the database',
    (type) => {
      const { columns = [] } = projection.leaves ?? {};
      const [row] = Object.values(project(projection, first));
      if (!row) throw new Error(`${first.type} makes a row`);
      const without = (whole: Row) =>
        Object.fromEntries(Object.entries(whole).filter(([column]) => !columns.includes(column)));
      const event = { ...SAMPLES[type], meta: { at: AT }, revision: 1 } as Recorded;
      const after = applyEvent(projection, event, row);
      expect(applyEvent(projection, event, without(row))).toEqual(after && without(after));
      for (const column of columns) expect(after?.[column]).toBe(row[column]);
    },
  );
});

test('every event a projection handles has a test of what it does', () => {
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

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import * as domain from '@alpenglow/domain';
import {
  findEventDefinition,
  toReadableEvent,
  type Aggregate,
  type DomainEvent,
  type DomainEventType,
  type RecordedDomainEvent,
  type RecordedEvent,
} from '@alpenglow/domain';
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
  removal_requests: SAMPLES.RemovalRequested,
  hiding_rules: SAMPLES.HidingRuleDrafted,
  identity_checks: SAMPLES.IdentityCheckRequested,
  taken_down_pictures: SAMPLES.PictureTakenDown,
  identity_pictures: SAMPLES.IdentityCheckRequested,
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

describe('an erasure computes the rows of an account again from the streams with data of the account', () => {
  const aggregates = (Object.values(domain) as readonly unknown[]).filter(
    (value): value is Pick<Aggregate<unknown, DomainEvent>, 'name' | 'eventDefinitions'> =>
      typeof value === 'object' && value !== null && 'eventDefinitions' in value && 'evolve' in value,
  );
  const aggregateOf = (type: string) =>
    aggregates.find(({ eventDefinitions }) => eventDefinitions.some((definition) => definition.type === type))?.name;
  const isPersonal = (type: string) => Object.keys(findEventDefinition(type)?.personalFields ?? {}).length > 0;
  /** Returns the event of the sample. Reading a personal field throws an error. */
  const unreadable = (type: DomainEventType) =>
    toReadableEvent({
      ...SAMPLES[type],
      id: 'event-1',
      stream: 'stream',
      revision: 1,
      position: '0000000000000000001',
      version: findEventDefinition(type)?.version ?? 1,
      meta: { correlationId: 'c', causationId: null, actor: { kind: 'system', name: 'test' }, at: STARTED_AT },
      unreadable: 'the key was lost',
    } as unknown as RecordedEvent) as RecordedDomainEvent;
  const firstRow = (projection: (typeof PROJECTIONS)[number]) =>
    Object.values(project(projection, FIRST[projection.name] as DomainEvent))[0] as Row;
  const typesOf = (projection: (typeof PROJECTIONS)[number]) => Object.keys(projection.on) as DomainEventType[];

  test.each(
    PROJECTIONS.filter(({ ignoresPersonalFields }) => ignoresPersonalFields).map((one) => [one.name, one] as const),
  )('%s uses no personal field', (_name, projection) => {
    for (const type of typesOf(projection))
      for (const row of [null, firstRow(projection)]) {
        const event = unreadable(type);
        projection.keyOf(event);
        expect(() => applyEvent(projection, event, row)).not.toThrow();
      }
  });

  test.each(
    PROJECTIONS.filter(({ ignoresPersonalFields }) => !ignoresPersonalFields).map((one) => [one.name, one] as const),
  )(
    'all events of a row of %s with personal data are in one stream, or in streams with the name of the account',
    (name, projection) => {
      const types = typesOf(projection);
      const home = new Set(types.filter(isPersonal).map(aggregateOf));
      if (home.size === 0) return;
      // The row of an identity check has the key of the account, like the names of both streams.
      expect([...home].sort()).toEqual(name === 'identity_checks' ? ['account', 'identity'] : [[...home][0]]);
      // Events of other streams change only shared columns. These are not read again.
      const shared = projection.sharedColumns ?? [];
      for (const type of types.filter((one) => !home.has(aggregateOf(one)))) {
        const row = firstRow(projection);
        expect(applyEvent(projection, unreadable(type), null) ?? null).toBeNull();
        const after = applyEvent(projection, unreadable(type), row) as Row;
        expect({ ...after, ...Object.fromEntries(shared.map((column) => [column, row[column]])) }).toEqual(row);
      }
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

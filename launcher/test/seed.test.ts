import {
  account,
  favorites,
  findEventDefinition,
  identity,
  listing,
  media,
  moderationCase,
  START_POSITION,
  SUBJECT_KINDS,
  toCaseId,
  toDomainEvent,
  toStreamId,
  type DomainEvent,
  type EventStore,
} from '@alpenglow/domain';
import { addReport, claimCase, closeAccount, registerAccount, verifyAccountByAdmin } from '@alpenglow/domain/deciders';
import { createCommandHandler } from '@alpenglow/infra';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { demoAds } from '../seed/demo-ads.ts';
import { seedDemo } from '../seed/seed-demo.ts';
import { seedCases } from '../seed/seed-cases.ts';
import { PROVIDER_AD } from '../seed/demo-people.ts';
import { seedArticles } from '../seed/seed-articles.ts';
import { seedCommunity } from '../seed/seed-community.ts';
import { createAccountId, createSeedDependencies } from './seed-dependencies.ts';
import { seedGeneratedAds } from '../seed/seed-generated-ads.ts';
import { createMemoryEventStore } from '../../tests/support/memory-event-store.ts';

const ads = demoAds();

let store: EventStore;
let deps: Awaited<ReturnType<typeof createSeedDependencies>>;
beforeEach(async () => {
  store = createMemoryEventStore();
  deps = await createSeedDependencies(createCommandHandler(store));
});
afterEach(() => deps.remove());
const seed = (onProgress?: (done: number) => void) => seedDemo({ ...deps, ...(onProgress && { onProgress }) });

async function readAllEvents(): Promise<readonly DomainEvent[]> {
  const events: DomainEvent[] = [];
  for (let after = START_POSITION; ; ) {
    const page = await store.readAll({ after, limit: 1000 });
    for (const recorded of page) {
      expect(findEventDefinition(recorded.type)?.version).toBe(recorded.version);
      const event = toDomainEvent(recorded);
      if (event) events.push(event);
    }
    const last = page.at(-1);
    if (!last) return events;
    after = last.position;
  }
}
const countOf = (events: readonly DomainEvent[], type: DomainEvent['type']) =>
  events.filter((event) => event.type === type).length;

describe('seeding the demo', () => {
  test('posts every demo ad with its reviews, features a dozen, and creates the login accounts', async () => {
    await seed();
    const events = await readAllEvents();
    expect(countOf(events, 'AdPosted')).toBe(ads.length + 1);
    expect(countOf(events, 'AdReviewed')).toBe([...ads, PROVIDER_AD].flatMap(({ reviews }) => reviews).length);
    expect(countOf(events, 'AdFeatured')).toBe(ads.filter(({ isFeatured }) => isFeatured).length);
    expect(
      events.flatMap((event) =>
        event.type === 'AccountRegistered' && event.data.passwordHash !== null ? event.data.email : [],
      ),
    ).toEqual(['client@demo.alpenglow.example', 'provider@demo.alpenglow.example', 'admin@demo.alpenglow.example']);
  });
  test('verifies some posters and counts views of every ad', async () => {
    await seed();
    const events = await readAllEvents();
    const verified = countOf(events, 'AccountVerifiedByAdmin');
    expect(verified).toBe(ads.filter(({ isVerified }) => isVerified).length + 1);
    expect(deps.views.size).toBe(ads.length + 1);
    expect([...deps.views.values()].every((views) => views > 0)).toBe(true);
  });
  test('gives the demo provider an ad with own photos, and the demo client favorites', async () => {
    await seed();
    const provider = createAccountId('provider@demo.alpenglow.example');
    const { state } = await deps.commands.load(listing, provider);
    expect(state.ad).toMatchObject({ isDemo: false, title: PROVIDER_AD.fields.title });
    expect(state.ad?.photos).toHaveLength(3);
    for (const photo of state.ad?.photos ?? [])
      expect((await deps.commands.load(media, photo)).state).toMatchObject({ ownerId: provider });
    const client = createAccountId('client@demo.alpenglow.example');
    const { state: saved } = await deps.commands.load(favorites, client);
    expect(saved.adIds.length).toBeGreaterThanOrEqual(4);
    expect(saved.adIds).toContain(state.ad?.adId);
  });
  test('again changes nothing, even if ads were deleted and accounts closed', async () => {
    await seed();
    const commands = createCommandHandler(store);
    const origin = { actor: { kind: 'system', name: 'test' } as const, correlationId: 'test' };
    const [first] = ads;
    const owner = createAccountId(first?.email ?? '');
    await commands.handle(
      listing,
      owner,
      ({ ad }) => [{ type: 'AdDeleted', data: { accountId: owner, adId: ad?.adId ?? '', reason: null } }],
      origin,
    );
    await commands.execute(
      account,
      createAccountId('provider@demo.alpenglow.example'),
      closeAccount,
      { reason: null },
      origin,
    );
    const before = await store.readHead();
    await seed();
    expect(await store.readHead()).toBe(before);
  });
  test('creates only missing ads after an interruption', async () => {
    const interruption = new Error('interrupted');
    await expect(
      seed((done) => {
        if (done === 400) throw interruption;
      }),
    ).rejects.toBe(interruption);
    await seed();
    const events = await readAllEvents();
    expect(countOf(events, 'AdPosted')).toBe(ads.length + 1);
    expect(countOf(events, 'AdReviewed')).toBe([...ads, PROVIDER_AD].flatMap(({ reviews }) => reviews).length);
    expect(countOf(events, 'AdFeatured')).toBe(ads.filter(({ isFeatured }) => isFeatured).length);
  });
});

describe('seeding moderation cases', () => {
  const seedAll = async () => {
    await seedDemo(deps);
    await seedArticles(deps);
    await seedCommunity(deps);
    await seedCases(deps);
  };
  const openCases = async () => {
    const events = await readAllEvents();
    const ids = events.flatMap((event) => (event.type === 'CaseOpened' ? [event.data.caseId] : []));
    const states = await Promise.all(ids.map(async (id) => (await deps.commands.load(moderationCase, id)).state));
    return states.flatMap((state) => (state ? [state] : []));
  };

  const isEarly = (accountId: string) => ads.slice(0, 80).some(({ email }) => createAccountId(email) === accountId);
  const registerEarlier = async (email: string, displayName: string, age: number, now: string) => {
    const accountId = createAccountId(email);
    const person = {
      accountId,
      email,
      displayName,
      age,
      userType: 'provider',
      passwordHash: null,
      isDemo: true,
    } as const;
    const origin = { actor: { kind: 'system', name: 'test' } as const, correlationId: 'test' };
    await deps.commands.execute(account, accountId, registerAccount, person, origin, { now });
  };

  test('opens one case of each kind, an appeal and an identity check, and again changes nothing', async () => {
    await seedAll();
    const cases = await openCases();
    expect(
      cases
        .filter(({ isOpen }) => isOpen)
        .map(({ subject }) => subject.kind)
        .sort(),
    ).toEqual([...SUBJECT_KINDS].sort());
    expect(cases.filter(({ appeal }) => appeal !== null)).toHaveLength(1);
    expect(cases.every(({ openedAt }) => Date.parse(openedAt) < Date.now() - 60 * 60_000)).toBe(true);
    const checks = (await readAllEvents()).flatMap((event) =>
      event.type === 'IdentityCheckRequested' ? [event.data.accountId] : [],
    );
    expect(checks).toHaveLength(1);
    const { state } = await deps.commands.load(identity, checks[0] ?? '');
    expect(state?.status).toBe('open');

    const [hiding] = cases.filter(({ subject, isOpen }) => subject.kind === 'ad' && isOpen);
    expect(hiding).toMatchObject({ priority: 'high', isHidingSubject: true });
    expect((await deps.commands.load(listing, hiding?.ownerId ?? '')).state.ad?.holdingCaseIds).toEqual([
      hiding?.caseId,
    ]);

    const before = await store.readHead();
    await seedAll();
    expect(await store.readHead()).toBe(before);
  });
  test('dates every case after the registration of the owner, even if it was a minute ago', async () => {
    const registeredAt_ms = Date.now() - 60_000;
    for (const { email, fields, age } of ads.slice(0, 80))
      await registerEarlier(email, fields.name, age, new Date(registeredAt_ms).toISOString());
    await seedAll();
    const cases = (await openCases()).filter(({ ownerId }) => ownerId === null || isEarly(ownerId));
    expect(cases.map(({ subject }) => subject.kind).sort()).toEqual([
      'account',
      'ad',
      'ad',
      'article',
      'post',
      'thread',
    ]);
    for (const { ownerId, openedAt } of cases)
      if (ownerId !== null) expect(Date.parse(openedAt)).toBeGreaterThanOrEqual(registeredAt_ms);
    const [appealed, ...others] = cases.filter(({ appeal }) => appeal !== null);
    expect(others).toEqual([]);
    const times = [appealed?.openedAt, appealed?.decision?.at, appealed?.appeal?.filedAt].map((at) => at ?? '');
    expect(times).toEqual(times.toSorted());
    const check = (await readAllEvents()).find((event) => event.type === 'IdentityCheckRequested');
    const { state } = await deps.commands.load(identity, check?.data.accountId ?? '');
    expect(Date.parse(state?.requestedAt ?? '')).toBeGreaterThanOrEqual(registeredAt_ms);
  });
  test('leaves a case unchanged that people have opened, and requests nothing for a verified provider', async () => {
    await seedDemo(deps);
    const owners = ads.map(({ email }) => createAccountId(email));
    const origin = { actor: { kind: 'system', name: 'test' } as const, correlationId: 'test' };
    for (const ownerId of owners.slice(0, 80)) {
      const { state: slot, revision } = await deps.commands.load(listing, ownerId);
      const subject = { kind: 'ad', id: slot.ad?.adId ?? '' } as const;
      const evidence = { stream: toStreamId(listing, ownerId), revision };
      const caseId = toCaseId(subject);
      const reported = {
        reportId: `report-${ownerId}`,
        reason: 'spam',
        subject,
        ownerId,
        evidence,
        canHide: false,
      } as const;
      await deps.commands.execute(moderationCase, caseId, addReport, reported, origin);
      await deps.commands.execute(moderationCase, caseId, claimCase, { moderatorId: 'a-moderator' }, origin);
      await deps.commands.execute(account, ownerId, verifyAccountByAdmin, { reason: null }, origin);
    }
    const events = await readAllEvents();
    await seedAll();
    const added = (await readAllEvents()).slice(events.length);
    expect(
      added
        .filter((event) => event.type === 'CaseOpened')
        .map(({ data }) => data.subject.kind)
        .sort(),
    ).toEqual(SUBJECT_KINDS.filter((kind) => kind !== 'ad').sort());
    expect(countOf(added, 'CaseDecided') + countOf(added, 'AppealFiled')).toBe(0);
    expect(countOf(added, 'IdentityCheckRequested')).toBe(0);
  });
  test('resumes after an interruption at any write', async () => {
    await seedDemo(deps);
    await seedArticles(deps);
    await seedCommunity(deps);
    const interruption = new Error('interrupted');
    const seedUntilFirstWrite = async () => {
      let writes = 0;
      const commands = createCommandHandler({
        ...store,
        append: (...args) => (writes++ === 0 ? store.append(...args) : Promise.reject(interruption)),
      });
      await seedCases({ ...deps, commands });
    };
    let runs = 0;
    for (; ; runs += 1) {
      const error = await seedUntilFirstWrite().then(
        () => null,
        (reason: unknown) => reason,
      );
      if (error === null) break;
      expect(error).toBe(interruption);
    }
    expect(runs).toBeGreaterThan(SUBJECT_KINDS.length);
    expect((await openCases()).filter(({ appeal }) => appeal !== null)).toHaveLength(1);
    const events = await readAllEvents();
    expect(countOf(events, 'ReportFiled')).toBe(SUBJECT_KINDS.length + 1);
    expect(countOf(events, 'IdentityCheckRequested')).toBe(1);
  });
});

describe('seeding generated ads', () => {
  const generate = (count: number, signal?: AbortSignal) =>
    seedGeneratedAds({ commands: createCommandHandler(store), createAccountId }, count, { signal });

  test('creates the requested number of ads, each with its own poster', async () => {
    await generate(700);
    const events = await readAllEvents();
    const posted = events.filter((event) => event.type === 'AdPosted');
    expect(posted).toHaveLength(700);
    expect(new Set(posted.map(({ data }) => data.accountId)).size).toBe(700);
    expect(new Set(posted.map(({ data }) => `${data.state} ${data.city}`)).size).toBeGreaterThan(100);
    expect(new Set(posted.map(({ data }) => data.name)).size).toBeGreaterThan(600);
    expect(countOf(events, 'AccountRegistered')).toBe(700);
    expect(countOf(events, 'EmailVerified')).toBe(700);
  });
  test('again creates only missing ads', async () => {
    await generate(50);
    const before = await store.readHead();
    await generate(50);
    expect(await store.readHead()).toBe(before);
    await generate(60);
    expect(countOf(await readAllEvents(), 'AdPosted')).toBe(60);
  });
  test('stops when its signal aborts', async () => {
    await expect(generate(100_000, AbortSignal.abort())).rejects.toThrow('aborted');
    expect(countOf(await readAllEvents(), 'AdPosted')).toBe(0);
  });
});

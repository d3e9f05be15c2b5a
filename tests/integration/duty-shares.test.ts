import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { planDuties, type DutyLock } from '../../infra/src/adapters/postgres/duty-shares.ts';
import { assertProperty } from '../support/property.ts';

interface Member {
  readonly session: number;
  readonly duties: readonly string[];
  readonly freeFor_ms: Map<string, number>;
  readonly ranHere: Set<string>;
  readonly held: Set<string>;
}

function join(session: number, duties: readonly string[]): Member {
  return { session, duties, freeFor_ms: new Map(), ranHere: new Set(), held: new Set() };
}

function locksOf(members: readonly Member[]): readonly DutyLock[] {
  return members.flatMap(({ session, duties, held }) => [
    ...duties.map((duty) => ({ session, duty, isHeld: false })),
    ...[...held].map((duty) => ({ session, duty, isHeld: true })),
  ]);
}

/** Lets each process check once, in this order. A duty that is given up is free for the next process. */
function checkAll(members: readonly Member[]): void {
  for (const member of members) {
    const holders = new Set(members.flatMap(({ held }) => [...held]));
    for (const duty of member.duties) {
      member.freeFor_ms.set(duty, holders.has(duty) ? 0 : (member.freeFor_ms.get(duty) ?? 0) + 1_000);
      if (holders.has(duty)) member.ranHere[member.held.has(duty) ? 'add' : 'delete'](duty);
    }
    const plan = planDuties(locksOf(members), member);
    for (const duty of plan.giveUp) {
      expect(member.held.delete(duty)).toBe(true);
      holders.delete(duty);
    }
    for (const duty of plan.take) if (!holders.has(duty)) member.held.add(duty);
  }
}

const names = (count: number) => Array.from({ length: count }, (_, n) => `duty ${n}`);
const loads = (members: readonly Member[]) => members.map(({ held }) => held.size).toSorted((a, b) => a - b);

describe('shares of duties', () => {
  test('are at most ceil(duties / processes), and stable, however many processes come and go', () => {
    return assertProperty(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.array(fc.oneof(fc.constant('join'), fc.nat(9)), { minLength: 1, maxLength: 12 }),
        (count, steps) => {
          const members: Member[] = [];
          let nextSession = 100;
          for (const step of steps) {
            if (step === 'join' || members.length === 0) members.push(join((nextSession += 7) % 50, names(count)));
            else members.splice(Number(step) % members.length, 1);
            if (members.length === 0) continue;
            for (let n = 0; n < 25; n += 1) checkAll(members);
            const held = members.flatMap((member) => [...member.held]);
            expect(held.toSorted()).toEqual(names(count).toSorted());
            const sizes = loads(members);
            expect(sizes.at(-1)).toBeLessThanOrEqual(Math.ceil(count / members.length));
            expect((sizes.at(-1) ?? 0) - (sizes[0] ?? 0)).toBeLessThanOrEqual(Math.max(1, members.length - 1));
            // The shares are stable.
            checkAll(members);
            expect(members.flatMap((member) => [...member.held])).toEqual(held);
          }
        },
      ),
      { name: 'sequences of processes that share duties', short: 60, minimum: 60, maximum: 600, time_s: 5 },
    );
  });

  test('leave no duty without a process, if the processes can run different duties', () => {
    const all = names(20);
    const members = [join(1, all.slice(0, 15)), join(2, all.slice(5)), join(3, all.slice(18))];
    for (let n = 0; n < 25; n += 1) checkAll(members);
    expect(members.flatMap(({ held }) => [...held]).toSorted()).toEqual(all.toSorted());
  });

  test('do not count a process that announces nothing, and respect what it runs', () => {
    const earlierBuild: DutyLock[] = ['duty 0', 'duty 1'].map((duty) => ({ session: 9, duty, isHeld: true }));
    const plan = planDuties([...earlierBuild, ...names(4).map((duty) => ({ session: 1, duty, isHeld: false }))], {
      session: 1,
      duties: names(4),
      freeFor_ms: new Map(),
    });
    expect(plan).toMatchObject({ take: ['duty 2', 'duty 3'], giveUp: [] });
  });

  test('leave busy duties where they are, and count them', () => {
    const members = [join(1, names(4)), join(2, names(4))];
    for (const duty of names(4)) members[0]?.held.add(duty);
    const plan = (busy: readonly string[]) =>
      planDuties(locksOf(members), { session: 1, duties: names(4), freeFor_ms: new Map(), busy: new Set(busy) }).giveUp;
    expect(plan([])).toEqual(['duty 3', 'duty 2']);
    expect(plan(['duty 3', 'duty 1'])).toEqual(['duty 2', 'duty 0']);
    expect(plan(['duty 3', 'duty 1', 'duty 0'])).toEqual(['duty 2']);
    expect(plan(names(4))).toEqual([]);
  });

  test('prefer another process for a duty that has failed here and is not announced any more', () => {
    const members = [join(1, names(2)), join(2, names(2))];
    const locks = locksOf(members).filter(({ session, duty }) => session !== 1 || duty !== 'duty 1');
    const plan = (session: number, free_ms: number) =>
      planDuties(locks, { session, duties: names(2), freeFor_ms: new Map([['duty 1', free_ms]]) }).take;
    expect(plan(1, 1_000)).not.toContain('duty 1');
    expect(plan(2, 1_000)).toContain('duty 1');
    expect(plan(1, 2_000)).toContain('duty 1');
  });

  test('leave a duty that was given up to the other processes first, unless no other process can run it', () => {
    // Both processes have their share, and the third has none of its two duties.
    const members = [join(1, names(4)), join(2, names(4)), join(3, names(4))];
    const [first, second] = members;
    for (const duty of ['duty 0', 'duty 1']) first?.held.add(duty);
    for (const duty of ['duty 2', 'duty 3']) second?.held.add(duty);
    const plan = (locks: readonly DutyLock[], free_ms: number) =>
      planDuties(locks, {
        session: 1,
        duties: names(4),
        freeFor_ms: new Map([['duty 1', free_ms]]),
        ranHere: new Set(['duty 0', 'duty 1']),
      });
    expect(plan(locksOf(members), 0).giveUp).toEqual(['duty 1']);
    first?.held.delete('duty 1');
    expect(plan(locksOf(members), 0).take).toEqual([]);
    expect(plan(locksOf(members), 2_000).take).toEqual(['duty 1']);
    const alone = locksOf(members).filter(({ session, isHeld }) => session === 1 || isHeld);
    expect(plan(alone, 0).take).toEqual(['duty 1']);
  });

  test('leave the duties that two processes gave up at the same time to the process that lacks them', () => {
    const all = names(25);
    const members = [join(1, all), join(2, all), join(3, all), join(4, all)] as const;
    const [first, second, third, fourth] = members;
    for (const duty of all.slice(0, 7)) first.held.add(duty);
    for (const duty of all.slice(7, 14)) second.held.add(duty);
    for (const duty of all.slice(14, 21)) third.held.add(duty);
    for (const duty of all.slice(21)) fourth.held.add(duty);
    for (const { held, ranHere } of members) for (const duty of held) ranHere.add(duty);
    const plan = (member: Member) => planDuties(locksOf(members), member);
    const [givenUp, other] = [plan(first).giveUp, plan(second).giveUp];
    expect([givenUp.length, other.length, plan(third).giveUp.length]).toEqual([1, 1, 0]);
    for (const duty of givenUp) first.held.delete(duty);
    for (const duty of other) second.held.delete(duty);
    expect([first, second, third].map((member) => plan(member).take)).toEqual([[], [], []]);
    expect(plan(fourth).take.toSorted()).toEqual([...givenUp, ...other].toSorted());
    // If the other processes end, the remaining one runs all duties.
    const isOfFirst = ({ session }: DutyLock) => session === first.session;
    expect([...first.held, ...planDuties(locksOf(members).filter(isOfFirst), first).take].toSorted()).toEqual(
      all.toSorted(),
    );
  });
});

import { expect, it } from 'vitest';
import { CONFIRMED_AFTER_ms, findNewVersion } from '../src/frame/find-new-version.ts';

/** When an old tab offers a reload (decision 0124). An item of `found` is the version of the server at one check. */
async function check(found: readonly (string | Error | undefined)[], own: string) {
  const waits_ms: number[] = [];
  let checks = 0;
  const isNew = await findNewVersion({
    own,
    read() {
      const next = found[checks++];
      return next instanceof Error ? Promise.reject(next) : Promise.resolve(next);
    },
    wait(time_ms) {
      waits_ms.push(time_ms);
      return Promise.resolve();
    },
  });
  return { isNew, waits_ms };
}

it('a site has a new version if two checks some minutes apart find the same one', async () => {
  expect(await check(['two', 'two'], 'one')).toEqual({ isNew: true, waits_ms: [CONFIRMED_AFTER_ms] });
});

it.each<readonly [string, readonly (string | Error | undefined)[]]>([
  ['an update is undone', ['two', 'one']],
  ['one update follows another', ['two', 'three']],
  ['the second check fails', ['two', new TypeError('failed to fetch')]],
  ['the second check finds no version', ['two', undefined]],
])('a site has no new version yet if %s', async (_, found) => {
  expect(await check(found, 'one')).toEqual({ isNew: false, waits_ms: [CONFIRMED_AFTER_ms] });
});

it.each<readonly [string, readonly (string | Error | undefined)[], string]>([
  ['the server has that of the tab', ['one'], 'one'],
  ['the server does not state a version', [undefined], 'one'],
  ['the check fails', [new TypeError('failed to fetch')], 'one'],
  ['the tab has no version, as in development', ['two', 'two'], ''],
])('there is one check, or none, if %s', async (_, found, own) => {
  expect(await check(found, own)).toEqual({ isNew: false, waits_ms: [] });
});

import { expect, test } from 'vitest';
import { setUpLaunches } from '../support/launches.ts';
import { sampleOf } from '../support/sample.ts';
import { packedFolders } from './data-folder.ts';
import { expectNothingLost, restoreInstallation, settledLog } from './installation.ts';
import { readData, readPublicAds } from './read-data.ts';

/** Starts the current build on data folders of earlier builds. `npm run upgrade-fixture` has written these folders. */
const launches = setUpLaunches();

/** The packed folders, the oldest first. */
const names = await packedFolders();

test.each(sampleOf(names, 2))(
  'the first start on the data of %s loses nothing, and the second one changes nothing',
  async (name) => {
    const { content, start } = await restoreInstallation(name, launches);
    const first = await start();
    await expectNothingLost(first, content);
    const log = await settledLog(first);
    const publicAds = await readPublicAds(first.url);
    await first.stop();

    const second = await start();
    expect(await settledLog(second)).toEqual(log);
    expect(await readData(second.url, content.made)).toEqual(content.data);
    expect(await readPublicAds(second.url)).toEqual(publicAds);
    await second.stop();
  },
);

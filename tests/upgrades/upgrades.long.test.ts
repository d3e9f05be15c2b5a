import { DEMO_EMAILS } from '@alpenglow/domain';
import { expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { isRunning, kill9, postgresPid } from '../support/launched-product.ts';
import { setUpLaunches } from '../support/launches.ts';
import { connect, packedFolders } from './data-folder.ts';
import { expectNothingLost, restoreInstallation } from './installation.ts';

/** Tests upgrades after a crash, and with `DEMO=off`. `upgrades.test.ts` tests undisturbed upgrades. */
const launches = setUpLaunches();
const [oldest = ''] = await packedFolders();

test('after kill -9 while the read models are rebuilt, the next start completes the upgrade', async () => {
  const { content, launch, start } = await restoreInstallation(oldest, launches);
  const killed = launch();
  const database = await eventually(() => connect(launches.dataDir.path));
  try {
    // The tables of a rebuild exist until the rebuilt read model becomes live.
    await eventually(
      async () => {
        const { rowCount } = await database.query(
          `select from pg_tables where schemaname = 'rm' and tablename like '%rebuild%' limit 1`,
        );
        expect(rowCount).toBe(1);
      },
      { interval_ms: 5 },
    );
    kill9(killed.process.pid);
    await killed.ended();
  } finally {
    await database.end();
  }
  expect(killed.stdout()).not.toContain('ready');
  const postgres = await postgresPid(launches.dataDir.path);
  expect(postgres !== null && isRunning(postgres)).toBe(true);

  const product = await start();
  await expectNothingLost(product, content);
  await product.stop();
});

test('after kill -9 of the product and its Postgres, the next start recovers the database', async () => {
  const { content, launch, start } = await restoreInstallation(oldest, launches);
  const killed = launch();
  await eventually(() => connect(launches.dataDir.path).then((database) => database.end()));
  const postgres = await postgresPid(launches.dataDir.path);
  if (postgres === null) throw new Error('The product runs without its own Postgres');
  expect(isRunning(postgres)).toBe(true);
  kill9(killed.process.pid);
  kill9(postgres);
  await killed.ended();
  await eventually(() => expect(isRunning(postgres)).toBe(false));

  const product = await start();
  await expectNothingLost(product, content);
  await product.stop();
});

test('with DEMO=off, the upgrade adds only the result of the interrupted job and hashes to the log', async () => {
  const { content, start } = await restoreInstallation(oldest, launches);
  const product = await start({ DEMO: 'off', ADMIN_EMAIL: DEMO_EMAILS.admin });
  await expectNothingLost(product, content);
  const { rows } = await product.database.query<{ stream: string }>(
    // The hashes are those of photos of builds before decision 0118.
    `select distinct stream from es.events where position > $1 and type <> 'PhotoHashed'`,
    [content.log.events],
  );
  const streams = rows.map(({ stream }) => stream).filter((stream) => !/^media-demo-\d+$/u.test(stream));
  expect(streams).toEqual([`media-${content.interrupted.mediaId}`]);
  await product.stop();
});

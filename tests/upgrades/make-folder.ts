import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import sharp from 'sharp';
import { createApiClient, PASSWORD } from '../support/api-client.ts';
import { isRunning, launchProduct, postgresPid, temporaryDataDir } from '../support/launched-product.ts';
import { connect, FOLDERS, listFile, packDataFolder, packedFile } from './data-folder.ts';
import type { FolderContent } from './folder-content.ts';
import { logIn, makeData } from './make-data.ts';
import { checkOut, readCommitTime } from '../support/old-checkout.ts';
import { readData, readLog, readPublicAds, waitForJobs } from './read-data.ts';

const POLL_ms = 5;

/**
 * Runs the build of a commit on an empty data folder and stores data through its API. Stops it while a job is running,
 * packs the data folder and writes it to `tests/upgrades/folders`, next to a list of the stored data. The list contains
 * what the API of this build returned. Prints the size of the packed folder.
 */
export async function makeFolder(name: string): Promise<void> {
  const { commit, folder: root } = await checkOut(name);
  const dataDir = await temporaryDataDir();
  const scratch = await mkdtemp(path.join(os.tmpdir(), 'alpenglow-packed-'));
  const env = { DEMO: 'on', EXPOSE_VERIFICATION_CODES: 'on' };
  const product = launchProduct({ root, npm: true, dataDir: dataDir.path, env });
  const kill = () => {
    if (product.process.exitCode === null && product.process.signalCode === null)
      process.kill(-(product.process.pid ?? 0), 'SIGKILL');
  };
  try {
    const url = await product.ready();
    const database = await connect(dataDir.path);
    let list: FolderContent;
    try {
      // While pictures of the demo are encoded, uploads may have to wait.
      await waitForJobs(url);
      const made = await makeData(url);
      await waitForJobs(url);
      const data = await readData(url, made);
      const publicAds = await readPublicAds(url);
      const interrupted = await interruptJob(url, made.owners[5]?.email ?? '', database, kill);
      await product.ended();
      list = {
        commit,
        committedAt: await readCommitTime(commit),
        stoppedAt: new Date().toISOString(),
        made,
        data,
        publicAds,
        interrupted,
        log: await readLog(database),
      };
      // The last segment of the write-ahead log is then almost empty.
      await database.query('select pg_switch_wal()');
    } finally {
      await database.end();
    }
    await stopPostgres(dataDir.path);
    const packed = await packDataFolder(dataDir.path, scratch);
    const id = commit.slice(0, 8);
    await mkdir(FOLDERS, { recursive: true });
    await writeFile(packedFile(id), packed);
    await writeFile(listFile(id), `${JSON.stringify(list, null, 1)}\n`);
    process.stdout.write(`${packedFile(id)}: ${(packed.length / 1e6).toFixed(1)} MB\n`);
  } finally {
    kill();
    await product.ended();
    await stopPostgres(dataDir.path);
    await dataDir.remove();
    await rm(scratch, { recursive: true, force: true });
  }
}

/**
 * Uploads a large photo, and calls `kill` as soon as its job exists. Returns the id of the photo. Throws if the job was
 * completed nevertheless.
 */
async function interruptJob(
  url: string,
  email: string,
  database: pg.Client,
  kill: () => void,
): Promise<FolderContent['interrupted']> {
  const token = await logIn(createApiClient(url), email, PASSWORD);
  const photo = await sharp({ create: { width: 7_000, height: 5_000, channels: 3, background: '#325fa8' } })
    .jpeg()
    .toBuffer();
  const form = new FormData();
  form.append('photos', new Blob([new Uint8Array(photo)], { type: 'image/jpeg' }), 'photo.jpg');
  const headers = { authorization: `Bearer ${token}` };
  const uploaded = fetch(`${url}/api/uploads/photos`, { method: 'POST', body: form, headers }).catch(() => null);
  const { rows: before } = await database.query<{ position: string }>(
    'select max(position) as position from es.events',
  );
  const find = async (type: string) =>
    (
      await database.query<{ mediaId: string }>(
        `select data ->> 'mediaId' as "mediaId" from es.events where position > $1 and type = $2`,
        [before[0]?.position, type],
      )
    ).rows[0]?.mediaId;
  let mediaId = await find('MediaUploaded');
  while (mediaId === undefined) {
    await pause(POLL_ms);
    mediaId = await find('MediaUploaded');
  }
  kill();
  await uploaded;
  if ((await find('PhotoVariantsMade')) !== undefined) throw new Error('The job was completed too early. Try again.');
  return { mediaId, email };
}

/** Stops the Postgres of a data folder cleanly, if it is running. */
async function stopPostgres(dataDir: string): Promise<void> {
  const pid = await postgresPid(dataDir);
  if (pid === null || !isRunning(pid)) return;
  process.kill(pid, 'SIGINT');
  while (isRunning(pid)) await pause(POLL_ms);
}

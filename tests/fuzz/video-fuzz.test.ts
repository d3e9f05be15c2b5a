import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { remuxAvi } from '../../infra/decoder/avi.mjs';
import { RejectedFile, rejecting } from '../../infra/decoder/rejected-file.mjs';
import { remux } from '../../infra/decoder/remux.mjs';
import { randomNumbers } from '../support/random.ts';
import { avi, mp4, webm } from '../support/videos.ts';
import { Volume } from '../support/volume.ts';

/**
 * Damages valid videos and checks them. `FUZZ_SEED` repeats an earlier run. All files go through the code that removes
 * metadata, which reads every upload first. ffprobe reads them without this first step, each in a separate process.
 * `FUZZ_FFPROBE_FILES` sets the number of its files.
 */
const SEED = Number(process.env['FUZZ_SEED'] ?? 20_260_101);
/** The number of files that are read at the same time. The start of a process mostly waits. */
const PARALLEL = availableParallelism() + 1;
const max_s = 20.25;
/** Each file needs its own process. A machine with much other work therefore needs many times the usual 3 minutes. */
const FFPROBE_LIMIT_ms = 60 * 60_000;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'alpenglow-videos-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const size = { seconds: 1, fps: 2, width: 16, height: 16 };
const TYPES: readonly (readonly [string, () => Promise<Buffer>])[] = [
  ['video/mp4', () => mp4({ ...size, location: '+46.5700+007.9800/' })],
  ['video/quicktime', () => mp4({ ...size, brand: 'qt  ', rotation: 90 })],
  ['video/x-msvideo', () => avi(size)],
  ['video/webm', () => webm(size)],
];

/** Numbers at which programs that count incorrectly fail. */
const EXTREMES = [0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff];

/** Returns a copy of a file with up to eight changes: other bits, extreme numbers, removed or repeated parts. */
function damage(original: Buffer, random: () => number): Buffer {
  let file = Buffer.from(original);
  const below = (limit: number) => Math.floor(random() * limit);
  for (let change = below(8); change >= 0; change -= 1) {
    const at = below(file.length - 8);
    const end = Math.min(file.length, at + 1 + below(64));
    const kind = below(5);
    if (kind === 0) file[at] = (file[at] ?? 0) ^ (1 << below(8));
    else if (kind === 1) file.writeUInt32BE(EXTREMES[below(EXTREMES.length)] ?? 0, at);
    else if (kind === 2) file.writeUInt32LE(EXTREMES[below(EXTREMES.length)] ?? 0, at);
    else if (kind === 3 && file.length > 200) file = Buffer.concat([file.subarray(0, at), file.subarray(end)]);
    else if (kind === 4 && file.length < 100_000) file = Buffer.concat([file.subarray(0, end), file.subarray(at)]);
  }
  return file;
}

/**
 * Calls `read` for damaged videos, `parallel` at a time. A video is accepted or rejected, and nothing else happens.
 * Returns both counts.
 */
async function readDamaged(
  files: Volume,
  parallel: number,
  read: (file: string, contentType: string) => Promise<unknown>,
) {
  const random = randomNumbers(SEED);
  const originals = await Promise.all(TYPES.map(async ([type, make]) => [type, await make()] as const));
  const counts = { accepted: 0, rejected: 0 };
  async function readFrom(file: string): Promise<void> {
    while (files.takeNext()) {
      const number = files.count - 1;
      const [contentType, original] = originals[number % originals.length] ?? ['', Buffer.alloc(0)];
      await writeFile(file, damage(original, random));
      try {
        await read(file, contentType);
        counts.accepted += 1;
      } catch (error) {
        expect(error, `seed ${SEED}, file ${number}, ${contentType}`).toBeInstanceOf(RejectedFile);
        counts.rejected += 1;
      }
    }
  }
  await Promise.all(Array.from({ length: parallel }, (_, index) => readFrom(path.join(folder, `damaged-${index}`))));
  return counts;
}

test('damaged videos neither crash nor hang the code that removes metadata', async () => {
  const files = new Volume({
    name: 'damaged videos without metadata',
    short: 600,
    minimum: 2_000,
    maximum: 50_000,
    time_s: 20,
  });
  const to = path.join(folder, 'cleaned');
  const counts = await readDamaged(files, 1, (from, contentType) =>
    rejecting('VIDEO_DAMAGED', async () =>
      contentType === 'video/x-msvideo' ? remuxAvi(from, to, { max_s }) : remux(from, to, { contentType, max_s }),
    ),
  );
  expect(counts.accepted).toBeGreaterThan(0);
  expect(counts.rejected).toBeGreaterThan(0);
});

test('damaged videos neither crash nor hang the process that runs ffprobe', {
  timeout: FFPROBE_LIMIT_ms,
}, async () => {
  const files = new Volume({
    name: 'damaged videos read by ffprobe',
    short: 200,
    minimum: 2_000,
    maximum: 50_000,
    time_s: 90,
    chosen: process.env['FUZZ_FFPROBE_FILES'],
  });
  const prober = fork(path.join(import.meta.dirname, 'probe-process.mjs'), { execArgv: [] });
  try {
    const waiting = new Map<string, (outcome: string) => void>();
    prober.on('message', ({ file, outcome }: { file: string; outcome: string }) => waiting.get(file)?.(outcome));
    const probe = (file: string, contentType: string) =>
      new Promise<void>((resolve, reject) => {
        waiting.set(file, (outcome) => {
          if (outcome === 'accepted') resolve();
          else reject(outcome === 'rejected' ? new RejectedFile('VIDEO_DAMAGED', outcome) : new Error(outcome));
        });
        prober.send({ file, contentType });
      });
    const ended = once(prober, 'exit').then(() => Promise.reject(new Error('The process ended')));
    const counts = await Promise.race([readDamaged(files, PARALLEL, probe), ended]);
    expect(counts.accepted + counts.rejected).toBe(files.count);
  } finally {
    prober.removeAllListeners('exit').kill();
  }
});

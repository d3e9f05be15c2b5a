import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { path as bundled } from 'ffprobe-static';

/** The file made ffprobe fail, hang, or talk without end. */
export class FfprobeRefusal extends Error {
  override readonly name = 'FfprobeRefusal';
}

const TIMEOUT_ms = 30_000;
const MAX_OUTPUT_bytes = 4 * 1024 * 1024;
/** What ffprobe may take in one piece for a file that asks for more than any video needs. */
const MAX_ALLOCATION_bytes = 128 * 1024 * 1024;

/**
 * What ffprobe prints of one local file, as a process of its own without a shell, bounded in time and output. `demuxer` is the only
 * one it may use, and files the only thing it may open, so that a file can point it nowhere else.
 * Throws `FfprobeRefusal` for the file's fault; the reason of `signal` when that aborts; an error that says so where there is no ffprobe.
 */
export async function runFfprobe(
  file: string,
  { demuxer, show, signal }: { demuxer: string; show: readonly string[]; signal: AbortSignal },
): Promise<string> {
  const args = [
    ...['-v', 'error', '-hide_banner', '-max_alloc', String(MAX_ALLOCATION_bytes)],
    ...['-protocol_whitelist', 'file', '-format_whitelist', demuxer, '-f', demuxer],
    ...[...show, '-of', 'json=compact=1', '-i', `file:${file}`],
  ];
  return new Promise((resolve, reject) => {
    execFile(
      command(),
      args,
      {
        timeout: TIMEOUT_ms,
        killSignal: 'SIGKILL',
        maxBuffer: MAX_OUTPUT_bytes,
        signal,
        windowsHide: true,
        env: { PATH: process.env['PATH'] },
      },
      (error, stdout) => {
        if (!error) resolve(stdout);
        else if (signal.aborted) reject(signal.reason as Error);
        else if (error.code === 'ENOENT' || error.code === 'EACCES')
          reject(
            new Error(
              'Videos cannot be checked: there is no ffprobe for this system, neither of ffprobe-static nor on the PATH',
              { cause: error },
            ),
          );
        else reject(new FfprobeRefusal('ffprobe could not read the file', { cause: error }));
      },
    );
  });
}

/** The package has none for Linux on ARM; there the system's own does. */
function command(): string {
  return existsSync(bundled) ? bundled : 'ffprobe';
}

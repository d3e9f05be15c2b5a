import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { path as bundledPath } from 'ffprobe-static';

/** Error for a file that ffprobe cannot read. ffprobe failed, timed out or printed too much. */
export class FfprobeError extends Error {
  override readonly name = 'FfprobeError';
}

const TIMEOUT_ms = 30_000;
const MAX_OUTPUT_bytes = 4 * 1024 * 1024;
/** The maximum size of a single memory allocation of ffprobe. No real video needs more. */
const MAX_ALLOCATION_bytes = 128 * 1024 * 1024;

/**
 * Runs ffprobe on a local file and returns its output. ffprobe runs without a shell, and its time, memory and output
 * are limited. It may open only local files and use only `demuxer`, so a malicious file cannot make it open other
 * resources. Throws `FfprobeError` if the file is the cause of the failure, or the reason of `signal` if it aborts. If
 * ffprobe is not installed, the error message explains this.
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
              'Videos cannot be checked: ffprobe-static contains no ffprobe for this system, ' +
                'and there is none on the PATH',
              { cause: error },
            ),
          );
        else reject(new FfprobeError('ffprobe could not read the file', { cause: error }));
      },
    );
  });
}

/**
 * Returns the path of ffprobe. The package `ffprobe-static` contains no ffprobe for Linux on ARM, so ffprobe must be
 * installed on such a system.
 */
function command(): string {
  return existsSync(bundledPath) ? bundledPath : 'ffprobe';
}

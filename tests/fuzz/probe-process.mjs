// @ts-check
/**
 * Probes videos for `video-fuzz.test.ts`, which sends their paths. It is a separate process, because a process with
 * much memory, such as a test worker, needs far longer to start other processes.
 */
import { probeVideo } from '../../infra/decoder/probe-video.mjs';
import { RejectedFile } from '../../infra/decoder/rejected-file.mjs';

process.on('message', (/** @type {{ file: string, contentType: string }} */ { file, contentType }) => {
  probeVideo(file, contentType).then(
    () => process.send?.({ file, outcome: 'accepted' }),
    (error) => process.send?.({ file, outcome: error instanceof RejectedFile ? 'rejected' : String(error) }),
  );
});

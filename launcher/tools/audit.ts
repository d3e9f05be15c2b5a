import { createAuditLog, createResourceStack, verifyAuditLog, type Verification } from '@alpenglow/infra';
import { inspectDatabase, openInstallation } from './installation.ts';
import { showProgress } from './progress.ts';
import { printMessage, readOptions, ToolError, EXIT_WRONG_USAGE, type ToolOptions } from './tool.ts';

const USAGE =
  'Usage: npm run audit -- verify          compares every event, every entry of the moderation log and every daily ' +
  'root with its hash\n' +
  '       npm run audit -- roots           prints the daily roots, to publish or to compare them\n' +
  '       npm run audit -- continue --reason <text>   continues the audit chain after the event log has lost events ' +
  'of a past day';
/** The maximum length of a reason. It is a part of an entry, which is never removed. */
const REASON_MAX_chars = 1_000;

/**
 * `npm run audit`: verifies that no event and no entry of the moderation log was changed, prints the daily root hashes
 * of the log, or continues a stopped audit chain. The product may be running. Returns the exit code, which is 1 if
 * something was changed.
 */
export async function main(args: readonly string[], options: ToolOptions): Promise<number> {
  const [command] = args;
  const reason = command === 'continue' ? readReason(args.slice(1)) : null;
  if (command === 'continue' ? reason === null : (command !== 'verify' && command !== 'roots') || args.length !== 1) {
    printMessage(USAGE);
    return EXIT_WRONG_USAGE;
  }
  const closing = createResourceStack();
  try {
    const { pool, events } = await openInstallation(options, closing);
    if (!(await inspectDatabase(pool)).isOurs)
      throw new ToolError('There is no installation yet: start the product once.');
    const log = createAuditLog(pool);
    if (command === 'roots') {
      for (const { day, first, last, root } of await log.readRoots())
        process.stdout.write(`${day}\t${first}-${last}\t${root.toString('hex')}\n`);
      return 0;
    }
    if (reason !== null) {
      const continued = await log.continueAfterLoss(events.store, reason);
      if (!continued) throw new ToolError('The audit chain is not stopped, so there is nothing to continue.');
      const { loss, entry } = continued;
      process.stdout.write(
        `Continued: ${countText(loss.lostEvents, 'event')} after position ${loss.position || '(start)'} ` +
          `${loss.lostEvents === 1 ? 'is' : 'are'} recorded as lost in entry ${entry} of the moderation log\n`,
      );
      return 0;
    }
    const { events: total } = await log.head();
    const progress = showProgress('Verifying', 'events');
    try {
      return report(
        await verifyAuditLog(
          { store: events.store, log },
          { onProgress: (done) => progress.update(done, done / Math.max(1, total)), signal: options.signal },
        ),
      );
    } finally {
      progress.stop();
    }
  } finally {
    await closing.closeAll();
  }
}

/** Returns the reason of the operator, or null if it is missing, empty or too long. */
function readReason(args: readonly string[]): string | null {
  const reason = readOptions(args, { reason: { type: 'string' } }, USAGE)?.reason?.trim() ?? '';
  return reason === '' || reason.length > REASON_MAX_chars ? null : reason;
}

/** Prints the result of a verification, and explains the segments of the chain. Returns the exit code. */
export function report({ events, entries, days, segments, notChained, problems }: Verification): number {
  for (const segment of segments) process.stdout.write(`${explainSegment(segment)}\n`);
  for (const problem of problems) process.stdout.write(`CHANGED: ${problem}\n`);
  const checked =
    `${countText(events, 'event')}, ${countText(entries, 'entry', 'entries')} of the moderation log, ` +
    `${countText(days, 'daily root')}`;
  process.stdout.write(
    problems.length === 0
      ? `In order: ${checked}\n`
      : `Not in order: ${countText(problems.length, 'place')} in ${checked}\n`,
  );
  if (notChained > 0)
    printMessage(
      `${countText(notChained, 'event')} not chained yet. The product chains new events while it is running.`,
    );
  return problems.length === 0 ? 0 : 1;
}

/** Explains why a segment of the audit chain begins, and what the log has lost. */
function explainSegment(segment: Verification['segments'][number]): string {
  const { number, first, previousLast, previousHash, detectedAt, commonPosition, lostEvents, isCurrent } = segment;
  const noLoss =
    previousLast === 0 ? 'The chain had no hashes, so they do not show a loss' : 'The chain has lost no event';
  const loss =
    lostEvents === 0
      ? noLoss
      : `${countText(lostEvents, 'event')} after position ${commonPosition || '(start)'} ` +
        `${lostEvents === 1 ? 'is' : 'are'} lost`;
  return (
    `Segment ${number} of the audit chain begins with event ${first}: on ${detectedAt.toISOString()}, the event log ` +
    `was replaced by an older state. ${loss}. The segment before it ended with event ${previousLast}, hash ` +
    `${previousHash.toString('hex')}.${isCurrent ? '' : ' A later segment has replaced this one.'}`
  );
}

function countText(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

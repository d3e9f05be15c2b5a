import { createAuditLog, createClosing, verifyAuditLog, type Verification } from '../src/index.ts';
import { lookAt, openInstallation } from './installation.ts';
import { showProgress } from './progress.ts';
import { say, ToolError, WRONG_USAGE, type ToolOptions } from './tool.ts';

const USAGE = `Usage: npm run audit -- verify          holds every event, every entry of the moderation log and every daily root against its hash
       npm run audit -- roots           the daily roots, to be published or compared with those that were`;

/** `npm run audit`: proves that nothing that happened was changed since, while the product runs or not. Answers the exit code: 1 where something was. */
export async function main(args: readonly string[], options: ToolOptions): Promise<number> {
  const [command] = args;
  if ((command !== 'verify' && command !== 'roots') || args.length !== 1) {
    say(USAGE);
    return WRONG_USAGE;
  }
  const closing = createClosing();
  try {
    const { pool, events } = await openInstallation(options, closing);
    if (!(await lookAt(pool)).isOurs) throw new ToolError('There is nothing here yet: start the product once.');
    const log = createAuditLog(pool);
    if (command === 'roots') {
      for (const { day, first, last, root } of await log.roots())
        process.stdout.write(`${day}\t${first}-${last}\t${root.toString('hex')}\n`);
      return 0;
    }
    const { events: of } = await log.head();
    const progress = showProgress('Verifying', 'events');
    try {
      return report(
        await verifyAuditLog(
          { store: events.store, log },
          { onProgress: (done) => progress.update(done, done / Math.max(1, of)), signal: options.signal },
        ),
      );
    } finally {
      progress.stop();
    }
  } finally {
    await closing.closeAll();
  }
}

function report({ events, entries, days, notChained, faults }: Verification): number {
  for (const fault of faults) process.stdout.write(`CHANGED: ${fault}\n`);
  const looked = `${counted(events, 'event')}, ${counted(entries, 'entry', 'entries')} of the moderation log, ${counted(days, 'daily root')}`;
  process.stdout.write(
    faults.length === 0 ? `In order: ${looked}\n` : `Not in order: ${counted(faults.length, 'place')} in ${looked}\n`,
  );
  if (notChained > 0)
    say(`${counted(notChained, 'event')} too new to be chained; the product chains what happens while it runs.`);
  return faults.length === 0 ? 0 : 1;
}

function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

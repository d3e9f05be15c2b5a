// @ts-check
/**
 * Preloaded into every process of a run (`NODE_OPTIONS=--import`). Shifts the clock of the process by the milliseconds
 * in the file `<CLOCK_DIR>/<PORT>`, which the run writes. Timers are not affected.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';

const CHECK_INTERVAL_MS = 250;
const file = path.join(process.env['CLOCK_DIR'] ?? '', process.env['PORT'] ?? 'none');
let shift_ms = 0;

const RealDate = Date;
const now = () => RealDate.now() + shift_ms;
globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  apply: () => new RealDate(now()).toString(),
  get: (target, name, receiver) => (name === 'now' ? now : Reflect.get(target, name, receiver)),
});

setInterval(() => {
  try {
    shift_ms = Number(readFileSync(file, 'utf8'));
  } catch {
    shift_ms = 0;
  }
}, CHECK_INTERVAL_MS).unref();

// @ts-check
/**
 * Preloaded into processes of the product (`NODE_OPTIONS=--import`). Shifts the clock of the process by
 * `CLOCK_SHIFT_MS` milliseconds. With `CLOCK_DIR`, the shift is the number in the file `<CLOCK_DIR>/<PORT>`, which can
 * change while the process runs. Timers are not affected.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';

const CHECK_INTERVAL_MS = 250;
const folder = process.env['CLOCK_DIR'];
let shift_ms = Number(process.env['CLOCK_SHIFT_MS'] ?? 0);

const RealDate = Date;
const now = () => RealDate.now() + shift_ms;
globalThis.Date = new Proxy(RealDate, {
  construct: (target, args, newTarget) => Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget),
  apply: () => new RealDate(now()).toString(),
  get: (target, name, receiver) => (name === 'now' ? now : Reflect.get(target, name, receiver)),
});

if (folder !== undefined)
  setInterval(() => {
    try {
      shift_ms = Number(readFileSync(path.join(folder, process.env['PORT'] ?? 'none'), 'utf8'));
    } catch {
      shift_ms = 0;
    }
  }, CHECK_INTERVAL_MS).unref();

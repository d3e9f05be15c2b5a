import { setImmediate as immediately, setTimeout as pause } from 'node:timers/promises';
import type { RequestHandler } from 'express';

/** Whoever asked so lately may ask again: until then long work rests between its slices, a few times as long as one takes, so that few answers meet one, or the garbage it leaves. */
const LATELY_ms = 250;
const RESTS = 4;
/** Long work waits this often, a millisecond each, for whoever is being answered; then it does its next slice, so that it ends also where somebody always asks. */
const WAITS_MAX = 20;

/** Knows whether anybody is being answered by this process. */
export interface UnderWay {
  /** To be the first of an application. */
  readonly handler: RequestHandler;
  /** For long work between two slices of it: lets requests go first, until they are answered or it has waited long enough. */
  stepBack(): Promise<void>;
}

export function watchUnderWay(): UnderWay {
  let underWay = 0;
  let asked_ms = -Infinity;
  return {
    handler: (_req, res, next) => {
      underWay += 1;
      asked_ms = performance.now();
      res.once('close', () => (underWay -= 1));
      next();
    },
    async stepBack() {
      await immediately();
      const rests = performance.now() - asked_ms < LATELY_ms ? RESTS : 0;
      for (let waits = 0; (underWay > 0 || waits < rests) && waits < WAITS_MAX; waits += 1) await pause(1);
    },
  };
}

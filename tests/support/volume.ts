import { MAXIMUM } from './time-budget.mjs';

/** The limits of a check that finds more errors the more often it repeats, such as a fuzz test. */
export interface VolumeLimits {
  /** Name of the repeated items in the plural, such as `random requests`. */
  readonly name: string;
  /** Repetitions of `npm test`. */
  readonly short: number;
  /** Repetitions that `npm run test:all` always makes. */
  readonly minimum: number;
  /** Repetitions of `npm run test:nightly`, which has no limit of time. */
  readonly maximum: number;
  /** Time for which `npm run test:all` repeats the check, if it is not late. */
  readonly time_s: number;
  /** A number from an environment variable, which replaces all others. */
  readonly chosen?: string | undefined;
}

export interface ReachedVolume {
  readonly name: string;
  readonly count: number;
  readonly minimum: number;
  readonly maximum: number;
}

/**
 * The time in ms since 1970 at which checks stop beyond their minimum. With `maximum`, every check runs its maximum.
 * Without a value, only `time_s` limits a check.
 */
const UNTIL = process.env['TEST_VOLUMES_UNTIL'] ?? null;

/** True in `npm run test:all`, which makes the minimum number of repetitions. */
const HAS_MINIMUM = process.env['TEST_SCOPE'] === 'all';

/** Volumes of the test file that runs at present. */
let volumes: Volume[] = [];

/** Counts the repetitions of a check and decides when it ends. */
export class Volume {
  readonly #limits: VolumeLimits;
  readonly #minimum: number;
  readonly #maximum: number;
  readonly #limit_ms: number;
  readonly #readTime_ms: () => number;
  #end_ms: number | null = null;
  #count = 0;

  /** Throws an error if `limits.chosen` is not a positive integer. */
  constructor(limits: VolumeLimits, { isFull = HAS_MINIMUM, until = UNTIL, readTime_ms = Date.now } = {}) {
    this.#limits = limits;
    this.#readTime_ms = readTime_ms;
    const fixed = limits.chosen === undefined ? (isFull ? null : limits.short) : readChosen(limits.name, limits.chosen);
    this.#maximum = fixed ?? limits.maximum;
    this.#minimum = fixed ?? (until === MAXIMUM ? limits.maximum : limits.minimum);
    this.#limit_ms = until === null || until === MAXIMUM ? Infinity : Number(until);
    volumes.push(this);
  }

  /** Repetitions until now. */
  get count(): number {
    return this.#count;
  }

  /** Repetitions that are made in any case. */
  get minimum(): number {
    return this.#minimum;
  }

  /** Counts one more repetition and returns true, or returns false if the check has to end. */
  takeNext(): boolean {
    this.#end_ms ??= Math.min(this.#limit_ms, this.#readTime_ms() + this.#limits.time_s * 1_000);
    if (this.#count >= this.#maximum) return false;
    if (this.#count >= this.#minimum && this.#readTime_ms() >= this.#end_ms) return false;
    this.#count += 1;
    return true;
  }

  get reached(): ReachedVolume {
    return { name: this.#limits.name, count: this.#count, minimum: this.#minimum, maximum: this.#maximum };
  }
}

function readChosen(name: string, text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number > 0) return number;
  throw new Error(`The number of ${name} must be a positive integer: "${text}"`);
}

/** Returns the volumes of the test file that has just ended, for the report of the run. */
export function takeVolumes(): readonly ReachedVolume[] {
  const reached = volumes.map((volume) => volume.reached);
  volumes = [];
  return reached;
}

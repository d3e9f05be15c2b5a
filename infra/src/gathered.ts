import DataLoader from 'dataloader';

const MAX_AT_ONCE = 64;
/** A look-up that takes longer holds up nobody. */
const SLOW_ms = 20;

/**
 * A look-up whose callers go to `lookUp` together: those of one turn of the event loop and, while a look-up is under way, those that come
 * meanwhile; at most 64 (or `max`) at a time. Under load, one statement so serves many requests; a caller alone waits for nobody.
 * `lookUp` answers in the order it was asked; when it rejects, all of its callers do. Nothing is remembered.
 */
export function gathered<Key, Found>(
  lookUp: (keys: readonly Key[]) => Promise<readonly Found[]>,
  { max = MAX_AT_ONCE } = {},
): (key: Key) => Promise<Found> {
  const waiting: (() => void)[] = [];
  let isUnderWay = false;

  function schedule(begin: () => void): void {
    if (isUnderWay) {
      waiting.push(begin);
      return;
    }
    isUnderWay = true;
    // Everybody whom the last answer has woken asks before this runs.
    setImmediate(begin);
  }

  function proceed(): void {
    isUnderWay = false;
    const begin = waiting.shift();
    if (begin) schedule(begin);
  }

  function lookUpInTurn(keys: readonly Key[]): Promise<readonly Found[]> {
    let isOver = false;
    const end = () => {
      if (isOver) return;
      isOver = true;
      clearTimeout(patience);
      proceed();
    };
    const patience = setTimeout(end, SLOW_ms);
    const found = lookUp(keys);
    found.then(end, end);
    return found;
  }

  const loader = new DataLoader<Key, Found>(lookUpInTurn, {
    cache: false,
    maxBatchSize: max,
    batchScheduleFn: schedule,
  });
  return (key) => loader.load(key);
}

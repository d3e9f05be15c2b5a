/** Returns the number and the unit that show a waiting time in seconds. From two minutes on, it is in minutes. */
export function toWaitUnit(wait_s: number): readonly [value: number, unit: 'second' | 'minute'] {
  return wait_s < 120 ? [wait_s, 'second'] : [Math.ceil(wait_s / 60), 'minute'];
}

/** Returns a waiting time in seconds as an English text. */
export function formatWait(wait_s: number): string {
  const [value, unit] = toWaitUnit(wait_s);
  return `${value} ${unit}${value === 1 ? '' : 's'}`;
}

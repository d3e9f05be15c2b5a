/**
 * Returns the edit distance of two words, i.e. the number of edits that turn one word into the other. An edit inserts,
 * deletes or replaces one letter, or swaps two adjacent letters.
 */
export function editDistance(one: string, other: string): number {
  const a = [...one];
  const b = [...other];
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const at = (cells: readonly number[], index: number) => cells[index] ?? Infinity;
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row.push(
        Math.min(
          at(last, j) + 1,
          at(row, j - 1) + 1,
          at(last, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1),
          isSwapped ? at(beforeLast, j - 2) + 1 : Infinity,
        ),
      );
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? 0;
}

import { sha256 } from './hashes.ts';

/**
 * Different prefixes for the hashes of leaves and of inner nodes (RFC 9162). An inner node can therefore not be
 * presented as a leaf.
 */
const LEAF = Buffer.of(0);
const NODE = Buffer.of(1);

/** One step from a leaf to the root of a hash tree. It contains the hash of the sibling node, and its side. */
export interface ProofStep {
  readonly side: 'left' | 'right';
  readonly hash: Buffer;
}

const levelAbove = (level: readonly Buffer[]): readonly Buffer[] =>
  level.flatMap((left, index) => {
    if (index % 2 === 1) return [];
    const right = level[index + 1];
    return [right ? sha256(NODE, left, right) : left];
  });

/** Returns the root of a hash tree over these hashes. Throws if there are none. */
export function merkleRoot(hashes: readonly Buffer[]): Buffer {
  let level: readonly Buffer[] = hashes.map((hash) => sha256(LEAF, hash));
  while (level.length > 1) level = levelAbove(level);
  const [root] = level;
  if (!root) throw new Error('A tree needs a leaf');
  return root;
}

/** Returns the steps that lead from the hash at `index` to the root of the hash tree. */
export function merkleProof(hashes: readonly Buffer[], index: number): readonly ProofStep[] {
  const steps: ProofStep[] = [];
  let position = index;
  for (
    let level: readonly Buffer[] = hashes.map((hash) => sha256(LEAF, hash));
    level.length > 1;
    level = levelAbove(level)
  ) {
    const sibling = level[position % 2 === 0 ? position + 1 : position - 1];
    if (sibling) steps.push({ side: position % 2 === 0 ? 'right' : 'left', hash: sibling });
    position = Math.floor(position / 2);
  }
  return steps;
}

/** Applies the steps to `hash` and returns the resulting hash. It equals the root if `hash` is a leaf of the tree. */
export function rootFromProof(hash: Buffer, steps: readonly ProofStep[]): Buffer {
  return steps.reduce(
    (node, { side, hash: sibling }) => (side === 'left' ? sha256(NODE, sibling, node) : sha256(NODE, node, sibling)),
    sha256(LEAF, hash),
  );
}

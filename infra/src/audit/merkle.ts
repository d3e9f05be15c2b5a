import { sha256 } from './hashes.ts';

/**
 * Prefixes for the hashes of leaves and of inner nodes of a hash tree (RFC 9162). Because they differ, an inner node
 * cannot be presented as a leaf.
 */
const LEAF = Buffer.of(0);
const NODE = Buffer.of(1);

/**
 * One step on the path from a leaf to the root of a hash tree. It contains the hash of the sibling node, and the side
 * of the sibling.
 */
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

/** Returns the root hash of a hash tree (Merkle tree) whose leaves are these hashes. Throws if the list is empty. */
export function merkleRoot(hashes: readonly Buffer[]): Buffer {
  let level: readonly Buffer[] = hashes.map((hash) => sha256(LEAF, hash));
  while (level.length > 1) level = levelAbove(level);
  const [root] = level;
  if (!root) throw new Error('A tree needs a leaf');
  return root;
}

/**
 * Returns the steps from the hash at `index` to the root of the hash tree. They prove that the hash is a leaf of the
 * tree.
 */
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

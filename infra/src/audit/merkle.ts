import { sha256 } from './hashes.ts';

/** A leaf and an inner node are hashed apart, so that neither can be taken for the other (RFC 9162). */
const LEAF = Buffer.of(0);
const NODE = Buffer.of(1);

/** One step from a leaf to the root: the hash beside it, and on which side that stands. */
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

/** The root of a tree over these hashes. Throws without any. */
export function merkleRoot(hashes: readonly Buffer[]): Buffer {
  let level: readonly Buffer[] = hashes.map((hash) => sha256(LEAF, hash));
  while (level.length > 1) level = levelAbove(level);
  const [root] = level;
  if (!root) throw new Error('A tree has a leaf');
  return root;
}

/** The steps that lead from hash number `index` to the root. */
export function merkleProof(hashes: readonly Buffer[], index: number): readonly ProofStep[] {
  const steps: ProofStep[] = [];
  let at = index;
  for (
    let level: readonly Buffer[] = hashes.map((hash) => sha256(LEAF, hash));
    level.length > 1;
    level = levelAbove(level)
  ) {
    const beside = level[at % 2 === 0 ? at + 1 : at - 1];
    if (beside) steps.push({ side: at % 2 === 0 ? 'right' : 'left', hash: beside });
    at = Math.floor(at / 2);
  }
  return steps;
}

/** Where the steps lead from this hash: the root, if it is one of its leaves. */
export function rootByProof(hash: Buffer, steps: readonly ProofStep[]): Buffer {
  return steps.reduce(
    (node, { side, hash: beside }) => (side === 'left' ? sha256(NODE, beside, node) : sha256(NODE, node, beside)),
    sha256(LEAF, hash),
  );
}

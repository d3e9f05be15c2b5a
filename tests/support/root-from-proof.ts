import { sha256, type ProofStep } from '@alpenglow/infra';

/** The prefixes of leaves and of inner nodes of a hash tree (RFC 9162). */
const LEAF = Buffer.of(0);
const NODE = Buffer.of(1);

/**
 * Applies the steps of a proof to `hash`, and returns the resulting root hash. If it equals the root hash of a tree,
 * `hash` is a leaf of that tree.
 */
export function rootFromProof(hash: Buffer, steps: readonly ProofStep[]): Buffer {
  return steps.reduce(
    (node, { side, hash: sibling }) => (side === 'left' ? sha256(NODE, sibling, node) : sha256(NODE, node, sibling)),
    sha256(LEAF, hash),
  );
}

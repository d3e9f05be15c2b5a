import type { CaseCard } from '@alpenglow/domain/contracts';

/**
 * Returns the next case after the case `id` that the moderator can claim or has claimed. After the last case of the
 * list, it continues with the first one. If the case `id` is not in the list, for example after its decision, it starts
 * with the first one. Never returns the case `id`.
 */
export function findNextCase<Case extends Pick<CaseCard, 'id' | 'claim' | 'canClaim'>>(
  cases: readonly Case[],
  id: string | null,
): Case | undefined {
  const after = cases.findIndex((one) => one.id === id) + 1;
  return [...cases.slice(after), ...cases.slice(0, after)].find(
    ({ id: caseId, claim, canClaim }) => caseId !== id && (claim === null ? canClaim !== false : claim.isMine),
  );
}

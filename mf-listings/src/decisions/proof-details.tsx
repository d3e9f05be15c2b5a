import type { StatementView } from '@alpenglow/domain/contracts';
import { useText } from './text.ts';
import styles from './decisions.module.css';

/**
 * Shows the proof that the moderation log contains the decision. The proof consists of the log entry and the hashes
 * that connect it with the root hash of the day.
 */
export function ProofDetails({ proof }: { readonly proof: NonNullable<StatementView['proof']> }) {
  const t = useText();
  return (
    <details className={styles['proof']}>
      <summary>{t('decisions.proof')}</summary>
      <p>{t('decisions.proofText', { day: proof.day })}</p>
      <pre tabIndex={0} role="region" aria-label={t('decisions.proof')}>
        {JSON.stringify(proof, null, 2)}
      </pre>
    </details>
  );
}

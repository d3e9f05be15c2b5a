import type { StatementView } from '@alpenglow/domain/contracts';
import { useText } from './text.ts';
import styles from './decisions.module.css';

/** The proof that the log contains the decision. It is the log entry with the hashes up to the day's root hash. */
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

import type { StatementView } from '@alpenglow/domain/contracts';
import { useText } from './text.ts';
import styles from './decisions.module.css';

/** That the decision is in the moderation log, for whoever wants to check it: the entry and the way from it to the root of its day. */
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
